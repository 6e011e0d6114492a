import type { Message, TimelineItem } from "../../api/types";
import { placeOf } from "../data/order";
import type { Outgoing } from "../data/outbox";

/** What came after an item, or a place. The item itself need not be among those that are looked at. */
function itemsAfter(items: TimelineItem[], seen: string | undefined): TimelineItem[] {
  return seen === undefined ? [] : items.filter((item) => placeOf(item.id) > placeOf(seen));
}

/** The newest reply of a colleague that came after `seen`, the newest item when the answer was begun. */
export function unseenReply(items: TimelineItem[], seen: string | undefined, me: string): Message | null {
  for (const item of itemsAfter(items, seen)) {
    if (item.kind !== "message" || item.message.direction !== "outbound") continue;
    const { sent_by, source } = item.message;
    if (source === "app" || (sent_by !== null && sent_by.id !== me)) return item.message;
  }
  return null;
}

/**
 * The same for a message that goes out late. Where it is in the thread already, only the answer to it was lost: then
 * nobody is asked.
 */
export function colleagueReplied(items: TimelineItem[], { seen, body }: Pick<Outgoing, "seen" | "body">, me: string): Message | null {
  const words = (content: unknown) => (content as { body?: string } | undefined)?.body;
  const arrived = itemsAfter(items, seen).some(
    (item) =>
      item.kind === "message" && body.type === "text" && item.message.sent_by?.id === me && words(item.message.text) === words(body.text),
  );
  return arrived ? null : unseenReply(items, seen, me);
}
