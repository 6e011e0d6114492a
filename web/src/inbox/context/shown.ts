import { Store, useStore } from "../../ui/store";

const key = "parley-context";
const narrow = "(max-width: 1180px)";

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

export const coverContext = (over: boolean) => shown.set({ ...shown.get(), over });

export function toggleContext(): void {
  const { beside, over } = shown.get();
  if (matchMedia(narrow).matches) return coverContext(!over);
  shown.set({ beside: !beside, over: false });
  try {
    localStorage.setItem(key, beside ? "hidden" : "shown");
  } catch {
    // It is open again next time.
  }
}
