import { Store, useStore } from "../../ui/store";

const key = "parley-send-key";

function remembered(): boolean {
  try {
    return localStorage.getItem(key) === "mod";
  } catch {
    return false;
  }
}

/** Whether Enter begins a new line, and only Ctrl+Enter sends. */
const store = new Store(remembered());

export const useSendByMod = () => useStore(store);

export function setSendByMod(on: boolean): void {
  store.set(on);
  try {
    localStorage.setItem(key, on ? "mod" : "enter");
  } catch {
    // It is asked again next time.
  }
}

interface Press {
  key: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  isComposing: boolean;
}

/** Whether a key sends. On a touch screen Enter is a new line, as there is no other way to make one. */
export function sends(press: Press, byMod: boolean, touch: boolean): boolean {
  if (press.key !== "Enter" || press.isComposing || press.shiftKey) return false;
  const mod = press.ctrlKey || press.metaKey;
  return mod || (!byMod && !touch);
}
