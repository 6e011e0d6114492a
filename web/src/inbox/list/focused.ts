import { Store } from "../../ui/store";

/** The row of the list that has the focus, or had it when it went away. */
export const focusedRow = new Store<string | undefined>(undefined);

export const focusRow = (id: string) => document.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`)?.focus();
