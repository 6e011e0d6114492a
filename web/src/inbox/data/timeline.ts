import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import { pages, type Page } from "../../api/client";
import type { Message, TimelineItem } from "../../api/types";

export const timelineKey = (id: string) => ["conversation", id, "timeline"] as const;

export const timelineQuery = (id: string) =>
  pages<TimelineItem>(timelineKey(id), `/conversations/${id}/timeline`, { limit: 50 });

type Timeline = InfiniteData<Page<TimelineItem>>;

/** Adds an item that the server has just made, unless it is there. */
export function addItem(client: QueryClient, conversation: string, item: TimelineItem): void {
  client.setQueryData<Timeline>(timelineKey(conversation), (timeline) => {
    const [newest, ...older] = timeline?.pages ?? [];
    if (!timeline || !newest || newest.data.some((i) => i.id === item.id)) return timeline;
    return { ...timeline, pages: [{ ...newest, data: [item, ...newest.data] }, ...older] };
  });
}

/** Changes a message of a thread before the server has answered. */
export function showMessage(
  client: QueryClient,
  conversation: string,
  id: string,
  change: (m: Message) => Message,
): void {
  client.setQueryData<Timeline>(timelineKey(conversation), (timeline) => {
    if (!timeline) return timeline;
    const changed = (item: TimelineItem) =>
      item.kind === "message" && item.id === id ? { ...item, message: change(item.message) } : item;
    return { ...timeline, pages: timeline.pages.map((page) => ({ ...page, data: page.data.map(changed) })) };
  });
}

/** The newest message of a person that the provider knows: what a read receipt names. */
export function newestInbound(items: TimelineItem[]): Message | undefined {
  for (const item of items)
    if (item.kind === "message" && item.message.direction === "inbound" && item.message.message_id) return item.message;
  return undefined;
}
