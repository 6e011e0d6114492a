import { queryOptions } from "@tanstack/react-query";
import { get } from "../api/client";

export interface Attention {
  waiting: { count: number; since: string | null };
  unassigned: number;
  numbers: TroubledNumber[];
  endpoints: { id: string; url: string; status: string; failing_since: string | null }[];
  templates: { id: string; name: string; language: string; provider_status: string; rejected_reason: string | null }[];
  quota: { used: number; limit: number } | null;
}

export interface TroubledNumber {
  phone_number_id: string | null;
  phone_number: string | null;
  name: string | null;
  status: string;
  provider_status: string | null;
  quality: string | null;
  restriction: string | null;
}

export interface Totals {
  inbound: number;
  outbound: number;
  sent: number;
  delivered: number;
  read: number;
  failed: number;
}

export interface Durations {
  count: number;
  median_seconds: number;
}

export interface Period {
  messages: Totals;
  answered: Durations;
  resolved: Durations;
}

export interface Figures {
  days: { date: string; messages: Totals }[];
  hours: number[][];
  failures: { code: string; count: number; numbers: { phone_number_id: string; phone_number: string | null; name: string | null; count: number }[] }[];
  now: Period;
  before: Period;
}

export interface Deliveries {
  total: number;
  succeeded: number;
  waiting: number;
  dead: number;
}

export interface WebhookFigures {
  from: string;
  days: { date: string; deliveries: Deliveries }[];
  now: Deliveries;
  before: Deliveries;
}

export const ranges = [1, 7, 30, 90] as const;
export type Range = (typeof ranges)[number];

/** Nothing tells when figures change: they are fetched again while somebody looks at them. */
const often = 30_000;

export const attentionQuery = queryOptions({
  queryKey: ["attention"],
  queryFn: () => get<Attention>("/attention"),
  staleTime: 0,
  refetchInterval: often,
});

const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

export function webhookFiguresQuery(days: Range) {
  const zone = ownZone();
  return queryOptions({
    queryKey: ["figures", "webhooks", days, zone],
    queryFn: () => get<WebhookFigures>("/figures/webhooks", { query: { days, zone } }),
    staleTime: 0,
    refetchInterval: often,
    placeholderData: (before: WebhookFigures | undefined) => before,
  });
}

export function figuresQuery(days: Range, number: string | undefined) {
  const zone = ownZone();
  return queryOptions({
    queryKey: ["figures", days, number, zone],
    queryFn: () => get<Figures>("/figures", { query: { days, zone, number } }),
    staleTime: 0,
    refetchInterval: often,
    placeholderData: (before: Figures | undefined) => before,
  });
}

/** A share in percent; undefined where there is nothing to have a share of. */
export function share(part: number, whole: number): number | undefined {
  return whole > 0 ? Math.round((100 * part) / whole) : undefined;
}

/** How much more there is than before, in percent; undefined where there was nothing. */
export function growth(now: number, before: number): number | undefined {
  return before > 0 ? Math.round((100 * (now - before)) / before) : undefined;
}
