import { useEffect } from "react";
import { Store } from "./store";

/** What the page that is open calls itself; see UnreadTitle. */
export const pageTitle = new Store("");

/** Names the page in the browser's tab and history. */
export function useTitle(title: string): void {
  useEffect(() => {
    pageTitle.set(title);
    return () => pageTitle.set("");
  }, [title]);
}
