import { InfiniteQueryObserver, QueryClient } from "@tanstack/react-query";
import { afterEach, expect, it, vi } from "vitest";
import type { TimelineItem } from "../../api/types";
import { atNewest, itemsOf, timelineQuery, type Timeline } from "./timeline";

const total = 1000;
const idOf = (n: number) => `nte_${String(n).padStart(6, "0")}`;
const numberOf = (id: string) => Number(id.slice(4));
const note = (n: number) => ({ id: idOf(n), kind: "note", created_at: "", note: {} }) as unknown as TimelineItem;

/** A server with notes 0 to 999, the last being the newest. Its pages are those of the real one. */
function serve(query: URLSearchParams) {
  const limit = Number(query.get("limit"));
  const [cursor, around, newer] = [query.get("cursor"), query.get("around"), query.get("newer")];
  let from = total; // not included
  if (cursor) from = Number(cursor);
  else if (around) from = Math.min(total, numberOf(around) + 1 + limit / 2);
  else if (newer) from = Math.min(total, numberOf(newer) + 1 + limit);
  const to = newer && !cursor ? numberOf(newer) + 1 : Math.max(0, from - limit);
  const data = Array.from({ length: from - to }, (_, i) => note(from - 1 - i));
  return { data, has_more: to > 0, next_cursor: to > 0 ? String(to) : null };
}

function observe(item?: string) {
  vi.stubGlobal("fetch", (address: string) =>
    Promise.resolve(new Response(JSON.stringify(serve(new URL(address, "http://x").searchParams)))),
  );
  const client = new QueryClient();
  const observer = new InfiniteQueryObserver(client, { ...timelineQuery("cnv_1", item), staleTime: Infinity });
  observer.subscribe(() => undefined);
  const shown = () => {
    const all = itemsOf(observer.getCurrentResult().data).map((i) => numberOf(i.id));
    return [all[0], all.at(-1), all.length];
  };
  const live = () => atNewest(observer.getCurrentResult().data as Timeline);
  return { client, observer, shown, live };
}

afterEach(() => vi.unstubAllGlobals());

it("begins at the newest, and goes back", async () => {
  const { observer, shown, live } = observe();
  await observer.refetch();
  expect(shown()).toEqual([999, 950, 50]);
  await observer.fetchNextPage();
  expect(shown()).toEqual([999, 900, 100]);
  expect(live()).toBe(true);
  expect(observer.getCurrentResult().hasPreviousPage).toBe(false);
});

it("slides over a long thread, keeps few pages, and comes back to the newest", async () => {
  const { observer, shown, live } = observe();
  await observer.refetch();
  for (let i = 0; i < 19; i++) await observer.fetchNextPage();
  expect(shown()).toEqual([299, 0, 300]);
  expect(live()).toBe(false);
  await observer.refetch();
  expect(shown()).toEqual([299, 0, 300]);
  for (let i = 0; i < 50 && observer.getCurrentResult().hasPreviousPage; i++) await observer.fetchPreviousPage();
  expect(shown().slice(0, 1)).toEqual([999]);
  expect(live()).toBe(true);
  const before = shown();
  await observer.refetch();
  expect(shown()).toEqual(before);
});

it("begins around an item and goes both ways, without a gap or a double", async () => {
  const { observer, shown, live } = observe(idOf(500));
  await observer.refetch();
  expect(shown()).toEqual([525, 476, 50]);
  expect(live()).toBe(false);
  await observer.fetchNextPage();
  await observer.fetchPreviousPage();
  const all = itemsOf(observer.getCurrentResult().data).map((i) => numberOf(i.id));
  expect(all).toEqual(Array.from({ length: 150 }, (_, i) => 575 - i));
});

it("knows that an item near the newest has nothing else after it", async () => {
  const { observer, live } = observe(idOf(990));
  await observer.refetch();
  expect(live()).toBe(true);
});
