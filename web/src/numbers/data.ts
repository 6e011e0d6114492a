import { queryOptions } from "@tanstack/react-query";
import { get, pages, send } from "../api/client";
import type { BusinessNumber } from "../api/types";

export interface NumberState {
  at: string;
  status: string;
  provider_status: string | null;
  quality: string | null;
  messaging_limit: string | null;
  restriction: string | null;
}

export interface Pace {
  waiting: number;
  sending: { per_second: number; per_second_now: number; paused_seconds: number; last_minute: number } | null;
}

export interface Profile {
  about: string;
  address: string;
  description: string;
  email: string;
  vertical: string;
  websites: string[];
  picture_url: string;
}

export interface Holdings {
  queued: number;
  conversations: number;
  contacts: number;
  files: number;
  running_broadcasts: number;
  scheduled_broadcasts: number;
  templates: number;
}

export interface FailedMessage {
  id: string;
  conversation_id: string;
  name: string;
  to: string | null;
  type: string;
  error_code: string;
  error_message: string;
  provider_code: number | null;
  created_at: string;
}

/** Where the server stops counting. */
export const mostCounted = 10_000;

/** What of the list is shown; it is in the address. */
export interface NumbersFilter {
  q?: string;
  troubled?: boolean;
}

// Every key begins with "numbers", so that one hint makes all of them old.
export const numbersQuery = (filter: NumbersFilter) => ({
  ...pages<BusinessNumber>(["numbers", "list", filter], "/numbers", { ...filter, limit: 100 }),
  placeholderData: <T>(before: T | undefined) => before,
});

export const historyQuery = (id: string) =>
  queryOptions({ queryKey: ["numbers", id, "history"], queryFn: () => get<{ states: NumberState[] }>(`/${id}/number/history`) });

/** The pace changes by the second, and nothing tells of it. */
export const paceQuery = (id: string) =>
  queryOptions({ queryKey: ["numbers", id, "pace"], queryFn: () => get<Pace>(`/${id}/number/pace`), staleTime: 0, refetchInterval: 3_000 });

export const holdingsQuery = (id: string) =>
  queryOptions({ queryKey: ["number holdings", id], queryFn: () => get<Holdings>(`/${id}/number/holdings`), staleTime: 0 });

/** The provider is asked, which takes a while: not again whenever a hint comes. */
export const profileQuery = (id: string) =>
  queryOptions({ queryKey: ["number profile", id], queryFn: () => get<Profile>(`/${id}/number/profile`) });

export function failuresQuery(id: string, days: number, code: string | undefined) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
  return { ...pages<FailedMessage>(["number failures", id, days, code, zone], `/${id}/number/failures`, { days, zone, code }), staleTime: 0, refetchInterval: 30_000 };
}

export const sendPicture = (id: string, file: File) => send<Profile>("POST", `/${id}/number/profile/picture`, file);

/** The address under which a number of one's own is connected. */
export function connectAddress(team: string | undefined): Promise<{ setup_url: string }> {
  return send("POST", "/number_links", { team_id: team || undefined });
}

export type Tone = "good" | "fair" | "poor" | "none";

export function statusTone(status: string): Tone {
  return status === "connected" ? "good" : status === "onboarding" ? "fair" : "poor";
}

export function qualityTone(quality: string | null): Tone {
  return quality === "GREEN" ? "good" : quality === "YELLOW" ? "fair" : quality === "RED" ? "poor" : "none";
}

export interface Span<T> {
  value: T;
  from: number;
  until: number;
}

/** Of states, newest first, how long each value of one of their fields lasted, oldest first. */
export function spansOf<T>(states: NumberState[], now: number, pick: (s: NumberState) => T): Span<T>[] {
  const spans: Span<T>[] = [];
  for (const state of [...states].reverse()) {
    const value = pick(state);
    const from = Date.parse(state.at);
    const last = spans.at(-1);
    if (last?.value === value) continue;
    if (last) last.until = from;
    spans.push({ value, from, until: Math.max(now, from) });
  }
  return spans;
}

/** What a number may reach in a day, in the provider's words or in people. */
export function limitText(n: Pick<NumberState, "messaging_limit">, t: { limit: (n: string) => string; unlimited: string; noLimit: string }, language: string): string {
  const tier = n.messaging_limit;
  if (!tier || tier === "TIER_NOT_SET") return t.noLimit;
  if (tier === "TIER_UNLIMITED") return t.unlimited;
  const found = /^TIER_(\d+)(K?)$/.exec(tier);
  if (!found) return tier;
  return t.limit(new Intl.NumberFormat(language).format(Number(found[1]) * (found[2] ? 1000 : 1)));
}
