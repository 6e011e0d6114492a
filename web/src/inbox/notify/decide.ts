import type { Conversation } from "../../api/types";
import type { Preferences } from "../../shell/preferences";

/** A message older than this is no news: the tab slept, or a list was fetched again. */
const fresh = 60_000;

interface Situation {
  me: string;
  about: Preferences["about"];
  /** The thread that somebody looks at now. */
  focused: string | null;
  now: number;
  /** The last message that was told of, of any conversation. */
  told: ReadonlySet<string>;
}

/** Whether somebody is told of a conversation's last message. */
export function isNews(c: Conversation, { me, about, focused, now, told }: Situation): boolean {
  const last = c.last_message;
  if (!last || last.direction !== "inbound" || c.unread_count === 0 || told.has(last.id)) return false;
  if (c.id === focused || now - Date.parse(last.created_at) > fresh) return false;
  if (c.assignee === null) return about !== "mine";
  return about === "all" || c.assignee.id === me;
}

/** Whether a conversation's last message came after an instant. */
export function cameSince(c: Conversation, instant: number): boolean {
  return c.last_message !== null && Date.parse(c.last_message.created_at) >= instant;
}
