import { Store, useStore } from "../../ui/store";

const key = "parley-context";
const room = 1180;
/** How much of the window something beside the inbox takes. */
let taken = 0;

interface Shown {
  /** Beside the thread; each browser remembers it. */
  beside: boolean;
  /** Over the thread, where there is no room beside it. */
  over: boolean;
}

function remembered(): boolean {
  try {
    return localStorage.getItem(key) !== "hidden";
  } catch {
    return true;
  }
}

const shown = new Store<Shown>({ beside: remembered(), over: false });

export const useContextShown = () => useStore(shown);

/** Says how much of the window the inbox has to do without. */
export function leaveRoom(width: number): void {
  taken = width;
}

export const coverContext = (over: boolean) => shown.set({ ...shown.get(), over });

export function toggleContext(): void {
  const { beside, over } = shown.get();
  if (matchMedia(`(max-width: ${room + taken}px)`).matches) return coverContext(!over);
  shown.set({ beside: !beside, over: false });
  try {
    localStorage.setItem(key, beside ? "hidden" : "shown");
  } catch {
    // It is open again next time.
  }
}
