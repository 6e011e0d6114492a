import { infiniteQueryOptions } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { list } from "../../api/client";

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

/** The instant from which a span of time counts, to the minute. An instant is itself. */
export function fromOf(since: string | undefined, now = Date.now()): string | undefined {
  if (since && /^\d{4}-/u.test(since)) return since;
  const span = since && spans[since];
  return span ? new Date(Math.floor((now - span) / 60_000) * 60_000).toISOString() : undefined;
}

/**
 * The pages of a list that may begin a span of time ago. With every refresh it begins anew, since the clock goes on, and all
 * its pages begin where the first one does. begin is how the server calls that.
 */
export function pagesSince<T>(name: string, path: string, begin: "from" | "created_after", { since, ...filter }: Filters) {
  return infiniteQueryOptions({
    queryKey: [name, { ...filter, since }],
    queryFn: async ({ pageParam, signal }) => {
      const from = pageParam ? pageParam.from : fromOf(since);
      const query = { ...filter, [begin]: from, cursor: pageParam?.cursor, limit: 50 };
      return { ...(await list<T>(path, { query, signal })), from };
    },
    initialPageParam: null as { from: string | undefined; cursor: string | null } | null,
    getNextPageParam: (last) => (last.has_more ? { from: last.from, cursor: last.next_cursor } : null),
  });
}
