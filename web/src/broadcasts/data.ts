import { queryOptions, type InfiniteData } from "@tanstack/react-query";
import { all, get, pages, send, type Page } from "../api/client";
import type { Conversation, SavedView } from "../api/types";
import type { Preview } from "../inbox/thread/content/shapes";

export type Status = "draft" | "scheduled" | "sending" | "paused" | "completed" | "stopped" | "failed";

export interface Counts {
  total: number;
  skipped: number;
  waiting: number;
  sent: number;
  delivered: number;
  read: number;
  replied: number;
  clicked: number;
  opted_out: number;
  failed: number;
}

/** Which contacts are meant, as the server takes it. */
export interface ContactFilter {
  search?: string;
  label_ids?: string[];
  all_labels?: boolean;
  consent?: string;
  seen_after?: string;
  not_seen_since?: string;
  never_seen?: boolean;
}

export interface Broadcast {
  id: string;
  name: string;
  phone_number_id: string;
  status: Status;
  status_reason: string | null;
  template: { name: string; language: string; components: Component[] };
  audience: { label_ids: string[]; match: "any" | "all"; filter?: ContactFilter };
  per_second: number | null;
  scheduled_at: string | null;
  time_zone: string | null;
  started_at: string | null;
  completed_at: string | null;
  counts: Counts;
  created_at: string;
}

export interface Component {
  type: string;
  [more: string]: unknown;
}

export interface Reason {
  reason: string;
  count: number;
}

export interface Check {
  total: number;
  sendable: number;
  skipped: Reason[];
  unchecked: number;
  daily_limit: number | null;
  exceeds_daily_limit: boolean;
  messages_left: number | null;
  samples: { to: string; name: string | null; preview: Preview | null; reason: string | null }[];
}

export interface Report {
  skipped: Reason[];
  failed: Reason[];
  clicked: { button: string; count: number }[];
}

export interface Recipient {
  id: string;
  to: string;
  name: string | null;
  status: "waiting" | "skipped" | "sent" | "failed";
  reason: string | null;
  contact_id: string | null;
  conversation_id: string | null;
  message_status: string | null;
  replied_at: string | null;
  clicked: string | null;
  opted_out_at: string | null;
}

export const pathOf = (b: Pick<Broadcast, "id" | "phone_number_id">, rest = "") => `/${b.phone_number_id}/broadcasts/${b.id}${rest}`;

/** Whether it can still be changed. */
export const isOpen = (b: Broadcast) => b.status === "draft" || b.status === "scheduled";

/** How soon to look again: statuses come back for a while after the last message has gone out. */
export function restOf(b: Broadcast | undefined, now = Date.now()): number | false {
  if (b?.status === "sending" || (b?.status === "stopped" && b.counts.waiting > 0)) return 1_000;
  if (b?.status === "scheduled" && b.scheduled_at && Date.parse(b.scheduled_at) - now < 60_000) return 2_000;
  return b?.started_at && now - Date.parse(b.completed_at ?? b.started_at) < 3_600_000 ? 5_000 : false;
}

/** Those of one number, or of all, page by page. */
export const broadcastsQuery = ({ number, status }: { number?: string; status?: string }) => ({
  ...pages<Broadcast>(["broadcast", "list", number, status], number ? `/${number}/broadcasts` : "/broadcasts", { limit: 50, status }),
  refetchInterval: ({ state }: { state: { data?: InfiniteData<Page<Broadcast>> } }) =>
    state.data?.pages.some((page) => page.data.some((b) => b.status === "sending")) ? 2_000 : (false as const),
});

/** A broadcast by its id alone: the number is not part of the page's address. */
export const broadcastQuery = (id: string) =>
  queryOptions({
    queryKey: ["broadcast", "one", id],
    queryFn: () => get<Broadcast>(`/broadcasts/${id}`),
    refetchInterval: ({ state }) => restOf(state.data),
    retry: false,
  });

/** Whom an inbox view shows, of one number. */
export async function peopleOf(view: SavedView, number: string): Promise<NewRecipient[]> {
  const found = await all<Conversation>("/conversations", { query: { ...view.filter, number, limit: 100 } });
  return found.flatMap(({ contact: { phone_number, bsuid } }): NewRecipient[] => (phone_number ? [{ to: phone_number }] : bsuid ? [{ recipient: bsuid }] : []));
}

/** Who would get it. That takes seconds where they are very many, so whoever leaves the page ends it. */
export const checkQuery = (b: Broadcast) =>
  queryOptions({ queryKey: ["broadcast", "check", b.id], queryFn: ({ signal }) => get<Check>(pathOf(b, "/preview"), { signal }), staleTime: 0 });

export const reportQuery = (b: Broadcast) =>
  queryOptions({
    queryKey: ["broadcast", "report", b.id],
    queryFn: () => get<Report>(pathOf(b, "/report")),
    refetchInterval: () => restOf(b),
  });

/** What the address may say of the list of recipients. */
export interface RecipientSearch {
  show?: "waiting" | "skipped" | "sent" | "delivered" | "read" | "failed" | "replied" | "opted_out";
  reason?: string;
}

/** The same as the server takes it. */
export function recipientFilter({ show, reason }: RecipientSearch) {
  return show === "replied" || show === "opted_out" ? { reaction: show, reason } : { status: show, reason };
}

export const recipientsQuery = (b: Broadcast, search: RecipientSearch) => ({
  ...pages<Recipient>(["broadcast", "recipients", b.id, search], pathOf(b, "/recipients"), { limit: 50, ...recipientFilter(search) }),
  refetchInterval: () => restOf(b),
});

export const move = (b: Broadcast, what: "start" | "pause" | "resume" | "stop" | "retry" | "duplicate") =>
  send<Broadcast>("POST", pathOf(b, `/${what}`));

export interface NewRecipient {
  to?: string;
  recipient?: string;
  variables?: Record<string, string>;
}

export interface Added {
  added: number;
  duplicate: number;
  invalid: number;
}

/** What goes to the server at once: this many people, and less than the megabyte that it takes. */
const most = 1_000;
const mostText = 250_000;

/** Parts of a list that the server takes at once. */
export function partsOf(rows: NewRecipient[]): NewRecipient[][] {
  const parts: NewRecipient[][] = [];
  let size = Infinity;
  for (const row of rows) {
    const length = JSON.stringify(row).length;
    if (size + length > mostText || (parts.at(-1)?.length ?? 0) >= most) {
      parts.push([]);
      size = 0;
    }
    parts.at(-1)?.push(row);
    size += length;
  }
  return parts;
}

/** Adds recipients in parts, and tells how far it is. */
export async function addRecipients(b: Broadcast, rows: NewRecipient[], progress: (share: number) => void): Promise<Added> {
  const sum: Added = { added: 0, duplicate: 0, invalid: 0 };
  let done = 0;
  for (const recipients of partsOf(rows)) {
    const n = await send<Added>("POST", pathOf(b, "/recipients"), { recipients });
    sum.added += n.added;
    sum.duplicate += n.duplicate;
    sum.invalid += n.invalid;
    done += recipients.length;
    progress(done / rows.length);
  }
  return sum;
}
