import { useState } from "react";
import type { Conversation, TimelineItem } from "../../api/types";
import { oldestUnread } from "./arrange";

/** What was the first unread message when the thread was opened. It stays marked while one reads. */
export function useFirstUnread(c: Conversation, items: TimelineItem[]): string | undefined {
  const [unread] = useState(c.unread_count);
  const [first, setFirst] = useState<string | undefined>();
  if (first === undefined && unread > 0 && items.length > 0) {
    const found = oldestUnread(items, unread);
    if (found) setFirst(found);
  }
  return first;
}
