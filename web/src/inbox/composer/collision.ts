import type { Message, TimelineItem } from "../../api/types";
import type { Outgoing } from "../data/outbox";

/** The newest reply of a colleague that came after `seen`, the newest item when the answer was begun. */
export function unseenReply(items: TimelineItem[], seen: string | undefined, me: string): Message | null {
  const at = seen === undefined ? -1 : items.findIndex((item) => item.id === seen);
  if (at < 0) return null;
  for (const item of items.slice(0, at)) {
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
  const arrived = items.slice(0, items.findIndex((item) => item.id === seen)).some(
    (item) =>
      item.kind === "message" && body.type === "text" && item.message.sent_by?.id === me && words(item.message.text) === words(body.text),
  );
  return arrived ? null : unseenReply(items, seen, me);
}
