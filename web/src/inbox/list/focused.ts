import { flushSync } from "react-dom";
import { Store } from "../../ui/store";

/** The row of the list that has the focus, or had it when it went away. */
export const focusedRow = new Store<string | undefined>(undefined);

export const focusRow = (id: string) => document.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`)?.focus();

/** Goes to a row, also to one that is scrolled away. Where the list is not on screen nothing has the focus. */
export function goToRow(id: string): void {
  flushSync(() => focusedRow.set(id)); // draws it, and the next key means it
  focusRow(id);
  if (!document.activeElement?.closest("[data-row]")) focusedRow.set(undefined);
}
