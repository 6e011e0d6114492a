import {
  infiniteQueryOptions, queryOptions, useInfiniteQuery, useQuery, useQueryClient, type InfiniteData, type QueryClient,
} from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import { list, type Page } from "../../api/client";
import type { Message, TimelineItem } from "../../api/types";
import type { InboxSearch } from "../../router";
import { placeOf } from "./order";

const pageSize = 50;
/** How many pages of a thread are kept: those that are far from where one reads go, and are fetched when one comes back. */
const mostPages = 6;

/** Where a page of a thread is: at its newest end, or beside an item. A cursor goes with what its page was asked by. */
export type Spot = { cursor?: string; around?: string; newer?: string } | null;
type TimelinePage = Page<TimelineItem>;
export type Timeline = InfiniteData<TimelinePage>;

/** Every part of a conversation's thread that was fetched. */
export const timelineKey = (id: string) => ["conversation", id, "timeline"] as const;

/** A window on a thread, newest first, that slides both ways: at first at its newest end, or around an item. */
export const timelineQuery = (id: string, item?: string) =>
  infiniteQueryOptions({
    queryKey: [...timelineKey(id), item ?? ""],
    queryFn: ({ pageParam, signal }) => fetchPage(id, pageParam, signal),
    initialPageParam: begin(item),
    getNextPageParam: (oldest, _, spot): Spot => (oldest.next_cursor ? { ...spot, cursor: oldest.next_cursor } : null),
    getPreviousPageParam: (newest, _, spot): Spot => (endsAt(newest, spot) ? null : newerThan(newest)),
    maxPages: mostPages,
  });

const fetchPage = (id: string, spot: Spot, signal?: AbortSignal) =>
  list<TimelineItem>(`/conversations/${id}/timeline`, { query: { limit: pageSize, ...spot }, signal });

/** The newest part, for what must know it while another is on screen. */
const newestQuery = (id: string) =>
  queryOptions({
    queryKey: ["conversation", id, "newest"],
    queryFn: ({ signal }) => fetchPage(id, null, signal),
  });

function newerThan(page: TimelinePage): Spot {
  const first = page.data[0];
  return first ? { newer: first.id } : null;
}

const begin = (item?: string): Spot => (item ? { around: item } : null);

/** Whether nothing is newer than this page. The server fills a page as long as there is something. */
function endsAt(page: TimelinePage, spot: Spot): boolean {
  if (spot === null) return true;
  const { cursor, around, newer } = spot;
  if (cursor) return false;
  if (newer) return page.data.length < pageSize;
  return page.data.filter((item) => placeOf(item.id) > placeOf(around ?? "")).length < pageSize / 2;
}

/** Whether a window reaches to the newest item. */
export function atNewest({ pages, pageParams }: Timeline): boolean {
  return pages[0] === undefined || endsAt(pages[0], (pageParams[0] ?? null));
}

export const itemsOf = (timeline: Timeline | undefined) => timeline?.pages.flatMap((page) => page.data) ?? [];

/** The window that is on screen: around the item that the address names, if it names one. */
export function useTimeline(id: string) {
  const { item }: InboxSearch = useSearch({ strict: false });
  return useInfiniteQuery(timelineQuery(id, item));
}

/** The newest items of a thread, wherever its window is. */
export function useNewest(id: string): TimelineItem[] {
  const { data } = useTimeline(id);
  const away = data !== undefined && !atNewest(data);
  const newest = useQuery({ ...newestQuery(id), enabled: away }).data;
  return away ? (newest?.data ?? []) : itemsOf(data);
}

/** The same for what needs it now and then: it is looked up when it is asked for, and nothing is drawn because of it. */
export function useNewestNow(id: string): () => { items: TimelineItem[]; away: boolean } {
  const client = useQueryClient();
  const { item }: InboxSearch = useSearch({ strict: false });
  return useCallback(() => {
    const shown = client.getQueryData<Timeline>(timelineQuery(id, item).queryKey);
    const away = shown !== undefined && !atNewest(shown);
    const newest = client.getQueryData<TimelinePage>(newestQuery(id).queryKey);
    return { items: away ? (newest?.data ?? []) : itemsOf(shown), away };
  }, [client, id, item]);
}

/** Fetches the newest items anew, without trying again: somebody waits to send. */
export async function lookAtNewest(client: QueryClient, id: string): Promise<TimelineItem[]> {
  return (await client.fetchQuery({ ...newestQuery(id), staleTime: 0, retry: false })).data;
}

/** The newest items as the server has them now, beside what is shown. */
export const fetchNewest = async (id: string): Promise<TimelineItem[]> => (await fetchPage(id, null)).data;

/** Puts the window without an item to the newest end. */
export async function showNewest(client: QueryClient, id: string): Promise<void> {
  const newest = await client.fetchQuery(newestQuery(id));
  client.setQueryData<Timeline>(timelineQuery(id).queryKey, { pages: [newest], pageParams: [null] });
}

/** Puts the window around an item back to where it began: one may have read on until the item was far away. */
export const windowAnew = (client: QueryClient, id: string, item: string): Promise<void> =>
  client.resetQueries({ queryKey: timelineQuery(id, item).queryKey });

function changeWindows(client: QueryClient, id: string, change: (timeline: Timeline) => Timeline): void {
  client.setQueriesData<Timeline>({ queryKey: timelineKey(id) }, (timeline) => timeline && change(timeline));
}

/** Changes a message of a thread before the server has answered. */
export function showMessage(
  client: QueryClient,
  conversation: string,
  id: string,
  change: (m: Message) => Message,
): void {
  const changed = (item: TimelineItem) =>
    item.kind === "message" && item.id === id ? { ...item, message: change(item.message) } : item;
  changeWindows(client, conversation, (timeline) => ({
    ...timeline,
    pages: timeline.pages.map((page) => ({ ...page, data: page.data.map(changed) })),
  }));
}

/** The newest message of a person that the provider knows: what a read receipt names. */
export function newestInbound(items: TimelineItem[]): Message | undefined {
  for (const item of items)
    if (item.kind === "message" && item.message.direction === "inbound" && item.message.message_id) return item.message;
  return undefined;
}
