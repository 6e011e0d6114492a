import { queryOptions } from "@tanstack/react-query";
import { get } from "../api/client";

export interface OperatorOrganization {
  id: string;
  name: string;
  plan: string;
  subscription: string;
  suspended: boolean;
  numbers: number;
  users: number;
  sent: number;
  received: number;
}

export interface OperatorPlan {
  name: string;
  api: boolean;
  customers: boolean;
  monthly_messages: number | null;
  retention_days: number | null;
  write_per_minute: number;
  read_per_minute: number;
}

export interface OperatorSystem {
  version: string;
  node: string;
  nodes: { id: string; until: string | null; late: boolean }[];
  queues: { messages: number; deliveries: number; lanes: number; callbacks: number; files: number };
  storage: { engine: string; database_bytes: number; journal_bytes: number; search_bytes: number; files: number; media_bytes: number };
}

/** Nothing tells of these: they are fetched again while somebody looks. */
export const organizationsQuery = queryOptions({
  queryKey: ["operator organizations"],
  queryFn: () => get<{ organizations: OperatorOrganization[]; plans: OperatorPlan[] }>("/operator/organizations"),
  staleTime: 0,
  refetchInterval: 60_000,
});

export const systemQuery = queryOptions({
  queryKey: ["operator system"],
  queryFn: () => get<OperatorSystem>("/operator/system"),
  staleTime: 0,
  refetchInterval: 5_000,
});

/** 12.3 MB, in the reader's language. */
export function size(bytes: number, language: string): string {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"];
  const step = bytes > 0 ? Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3)) : 0;
  return new Intl.NumberFormat(language, { style: "unit", unit: units[step], unitDisplay: "short", maximumFractionDigits: 1 }).format(bytes / 1000 ** step);
}
