import { createContext, use, useEffect } from "react";
import { Store } from "./store";

/** What the pages that are drawn call themselves, the innermost last; see UnreadTitle. */
export const pageTitles = new Store<readonly { name: string }[]>([]);

/** Whether what is drawn here is the page, and not a part beside it. */
export const Titled = createContext(true);

/** Names the page in the browser's tab and history. */
export function useTitle(name: string): void {
  const titled = use(Titled);
  useEffect(() => {
    if (!titled) return;
    const own = { name };
    pageTitles.set([...pageTitles.get(), own]);
    return () => pageTitles.set(pageTitles.get().filter((title) => title !== own));
  }, [name, titled]);
}
