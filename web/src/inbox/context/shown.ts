import { Store, useStore } from "../../ui/store";

const key = "parley-context";

function remembered(): boolean {
  try {
    return localStorage.getItem(key) !== "hidden";
  } catch {
    return true;
  }
}

const shown = new Store(remembered());

/** Whether the pane beside the thread is open; each browser remembers it. */
export const useContextShown = () => useStore(shown);

export function toggleContext(): void {
  shown.set(!shown.get());
  try {
    localStorage.setItem(key, shown.get() ? "shown" : "hidden");
  } catch {
    // It is open again next time.
  }
}
