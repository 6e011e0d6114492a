import { filterOf } from "../contacts/data";
import type { Broadcast, ContactFilter } from "./data";

export type Who = "none" | "all" | "some";
export type Seen = "7d" | "30d" | "not30d" | "never" | "kept";

/** What a person has chosen of the contacts. */
export interface Chosen {
  who: Who;
  labels: string[];
  all: boolean;
  consent: string | null;
  seen: Seen | null;
  search: string;
  /** When somebody was seen, as the draft has it: it is an instant, and cannot be told from "in the last 30 days". */
  kept?: Pick<ContactFilter, "seen_after" | "not_seen_since">;
}

/** What a draft's audience says. */
export function chosenOf({ label_ids, match, filter }: Broadcast["audience"]): Chosen {
  const labels = filter?.label_ids ?? label_ids;
  const kept = filter?.seen_after || filter?.not_seen_since ? { seen_after: filter.seen_after, not_seen_since: filter.not_seen_since } : undefined;
  const chosen: Chosen = {
    who: filter || labels.length > 0 ? "some" : "none", labels, all: filter ? filter.all_labels === true : match === "all", consent: filter?.consent ?? null,
    seen: kept ? "kept" : filter?.never_seen ? "never" : null, search: filter?.search ?? "", kept,
  };
  return filter && !Object.values(filter).some(Boolean) ? { ...chosen, who: "all" } : chosen;
}

/** The opposite of chosenOf. */
export function audienceOf(c: Chosen) {
  if (c.who === "none") return { label_ids: [] };
  if (c.who === "all") return { filter: {} };
  const { seen_after, not_seen_since, never_seen } = filterOf({ seen: c.seen === "kept" ? undefined : (c.seen ?? undefined) });
  const seen = c.seen === "kept" ? c.kept : { seen_after, not_seen_since, never_seen };
  const rest = { consent: c.consent ?? undefined, search: c.search.trim() || undefined, ...seen };
  if (Object.values(rest).every((value) => value === undefined)) return { label_ids: c.labels, match: c.all ? "all" : "any" };
  const filter = { ...rest, label_ids: c.labels.length ? c.labels : undefined, all_labels: (c.all && c.labels.length > 0) || undefined };
  return { filter: filter as ContactFilter };
}
