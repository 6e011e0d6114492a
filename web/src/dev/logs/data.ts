import { queryOptions } from "@tanstack/react-query";
import { get, pages } from "../../api/client";
import type { Filters } from "../parts/filters";

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
export function callFilter({ method, status, path, route, key_id, code }: Filters, from: string | undefined): Filters {
  return { method, status, path, route, key_id, code, from };
}

export const callsQuery = (filter: Filters) => pages<Call>(["calls", filter], "/api_log", { ...filter, limit: 50 });
export const callQuery = (id: string) => queryOptions({ queryKey: ["call", id], queryFn: () => get<Call>(`/api_log/${id}`) });
export const failuresQuery = (filter: Filters) =>
  queryOptions({ queryKey: ["calls", "failures", filter], queryFn: () => get<Failures>("/api_log/failures", { query: filter }) });

export const kindOf = (status: number) => (status >= 500 ? "bad" : status >= 400 ? "wait" : undefined);
