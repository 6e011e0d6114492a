import { queryOptions } from "@tanstack/react-query";
import { get } from "../../api/client";
import { fromOf, pagesSince, type Filters } from "../parts/filters";

export interface Call {
  id: string;
  key_id: string;
  method: string;
  path: string;
  route: string | null;
  status: number;
  latency_ms: number;
  ip: string;
  code: string | null;
  param: string | null;
  message: string | null;
  made: string | null;
  created_at: string;
}

export interface Failures {
  groups: { code: string | null; method: string; route: string | null; status: number; count: number; latest: string; at: string }[];
  whole: boolean;
}

/** What the server narrows calls by. */
export function callFilter({ method, status, path, route, key_id, code, since }: Filters): Filters {
  return { method, status, path, route, key_id, code, since };
}

export const callsQuery = (filter: Filters) => pagesSince<Call>("calls", "/api_log", "from", filter);
export const callQuery = (id: string) => queryOptions({ queryKey: ["call", id], queryFn: () => get<Call>(`/api_log/${id}`) });
export const failuresQuery = ({ since, ...filter }: Filters) =>
  queryOptions({
    queryKey: ["calls", "failures", { ...filter, since }],
    queryFn: () => get<Failures>("/api_log/failures", { query: { ...filter, from: fromOf(since) } }),
  });

export const kindOf = (status: number) => (status >= 500 ? "bad" : status >= 400 ? "wait" : undefined);
