import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";

export type Filters = Record<string, string | undefined>;

/** What the address narrows a list to. A number in an address is read as one, and here all are texts. */
export function useFilters(): [Filters, (change: Filters) => void] {
  const search: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  const key = JSON.stringify(search);
  const filters = useMemo(() => textsOf(JSON.parse(key) as Record<string, unknown>), [key]);
  const change = (next: Filters) => void navigate({ to: ".", search: textsOf({ ...filters, ...next }) as never, replace: true });
  return [filters, change];
}

/** What else an address says: what is open, and how it is shown. */
const beside = new Set(["id", "view", "range", "name"]);

/** The names of what narrows a list. */
export const narrowingOf = (filters: Filters): string[] => Object.keys(filters).filter((name) => !beside.has(name) && filters[name] !== undefined);

function textsOf(search: Record<string, unknown>): Filters {
  const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return Object.fromEntries(given.map(([name, value]) => [name, String(value as string | number | boolean)]));
}

const spans: Record<string, number> = { hour: 3_600_000, day: 86_400_000, week: 7 * 86_400_000, month: 30 * 86_400_000 };

/** The instant from which a span of time counts, to the minute: the same for all pages of one list. An instant is itself. */
export function fromOf(since: string | undefined, now = Date.now()): string | undefined {
  if (since && /^\d{4}-/u.test(since)) return since;
  const span = since && spans[since];
  return span ? new Date(Math.floor((now - span) / 60_000) * 60_000).toISOString() : undefined;
}

export function useFrom(since: string | undefined): string | undefined {
  return useMemo(() => fromOf(since), [since]);
}
