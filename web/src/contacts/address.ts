export type Consent = "unknown" | "opted_in" | "opted_out";

/** What the address of the list may say. */
export interface ContactsSearch {
  q?: string;
  number?: string;
  labels?: string;
  all?: boolean;
  consent?: Consent;
  seen?: "1d" | "7d" | "30d" | "not30d" | "never";
  sort?: "newest" | "name";
}

/** The router reads what looks like a number as one, also the id of a phone number or the digits of a search. */
export function contactsSearchOf(search: Record<string, unknown>): ContactsSearch {
  const read = Object.entries(search).map(([name, value]) => [name, typeof value === "number" ? String(value) : value]);
  return Object.fromEntries(read) as ContactsSearch;
}
