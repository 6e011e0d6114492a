import type { RecipientSearch } from "./data";

/** What the address of the list may say. */
export interface BroadcastsSearch {
  status?: string;
  number?: string;
}

let last: BroadcastsSearch = {};

/** Keeps what the list shows, so that the way back to it leads to the same. */
export function keepList(search: BroadcastsSearch): void {
  last = search;
}

export const lastList = () => last;

/** What the address of a broadcast's page may say: the step of a draft, or which recipients are listed. */
export interface BroadcastSearch extends RecipientSearch {
  step?: number;
}

const statuses = ["draft", "scheduled", "sending", "paused", "completed", "stopped", "failed"];
const shows = ["waiting", "skipped", "sent", "delivered", "read", "failed", "replied", "opted_out"];

/** A mistyped filter shows all: the server would refuse it, and the page would have nothing to clear it with. */
export function broadcastsSearchOf({ status, number }: Record<string, unknown>): BroadcastsSearch {
  return { status: statuses.find((s) => s === status), number: /^\d{6,20}$/u.test(String(number)) ? String(number) : undefined };
}

/** There are four steps. Anything else in the address means the nearest of them, or none. */
export function broadcastSearchOf({ step, show, reason }: Record<string, unknown>): BroadcastSearch {
  const n = Math.round(Number(step ?? NaN));
  return {
    step: Number.isNaN(n) ? undefined : Math.min(4, Math.max(1, n)),
    show: shows.find((s) => s === show) as BroadcastSearch["show"],
    reason: typeof reason === "string" ? reason : undefined,
  };
}
