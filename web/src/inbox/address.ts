import type { ConversationFilter } from "../api/types";

/** What the address of the inbox may say beside the view: the filters, and the item of the thread to jump to. */
export type InboxSearch = Omit<ConversationFilter, "view"> & { q?: string; item?: string };

/** The router reads what looks like a number as one, also the id of a phone number or the words of a search. */
export function inboxSearchOf(search: Record<string, unknown>): InboxSearch {
  const read = Object.entries(search).map(([name, value]) => [name, typeof value === "number" ? String(value) : value]);
  return Object.fromEntries(read) as InboxSearch;
}
