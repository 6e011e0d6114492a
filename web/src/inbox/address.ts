import type { ConversationFilter } from "../api/types";

/** How far back a search looks. */
export type Since = "today" | "week" | "month" | "year";

/** Among what a search looks. */
export type SearchSection = "messages" | "notes" | "contacts";

/**
 * What the address of the inbox may say beside the view: the filters, the words of a search with what narrows it,
 * and the item of the thread to jump to.
 */
export type InboxSearch = Omit<ConversationFilter, "view"> & { q?: string; in?: SearchSection; since?: Since; item?: string };

/** The router reads what looks like a number as one, also the id of a phone number or the words of a search. */
export function inboxSearchOf(search: Record<string, unknown>): InboxSearch {
  const read = Object.entries(search).map(([name, value]) => [name, typeof value === "number" ? String(value) : value]);
  return Object.fromEntries(read) as InboxSearch;
}
