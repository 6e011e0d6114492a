import type { Message, TimelineItem } from "../../api/types";

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
