import { useSyncExternalStore } from "react";
import { send } from "../../api/client";
import type { ThreadRef, Me, Message, TimelineItem } from "../../api/types";
import { Outbox, type Outgoing, type SendBody } from "./outbox";
import { uploadFile } from "./upload";

let shelf: string | null = null;
/** What was not sent before a reload is sent after it, unless that is long ago. */
const keepFor = 600_000;

const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

/** Files are not kept: only this page has them. */
function keep(entries: Outgoing[]): void {
  try {
    const left = entries.filter((e) => e.state !== "sent" && !e.file);
    if (shelf === null) return;
    if (left.length > 0) localStorage.setItem(shelf, JSON.stringify(left));
    else localStorage.removeItem(shelf);
  } catch {
    // Without storage a reload loses what was not sent.
  }
}

function kept(key: string): Outgoing[] {
  try {
    const entries = JSON.parse(localStorage.getItem(key) ?? "[]") as Outgoing[];
    return entries.filter((e) => Date.now() - Date.parse(e.createdAt) < keepFor);
  } catch {
    return [];
  }
}

export const outbox = new Outbox({
  post: {
    upload: (entry, progress) => uploadFile(entry.number, entry.file as File, `${entry.key}-file`, "attachments", progress),
    send: (entry) => send<Message>("POST", `/${entry.number}/messages`, entry.body, { idempotencyKey: entry.key }),
  },
  pause,
  now: Date.now,
  changed: keep,
});

/** Goes on with what this person had not sent before a reload. */
export function openOutbox(user: string): void {
  const key = `parley-outbox ${user}`;
  if (shelf === key) return;
  shelf = key;
  outbox.add(...kept(key));
}

export function useOutbox(): Outgoing[] {
  return useSyncExternalStore(outbox.watch, outbox.all);
}

/** Who a message to a conversation goes to. Not everybody who writes may see the number. */
export function recipientOf({ id }: Pick<ThreadRef, "id">): Pick<SendBody, "messaging_product" | "recipient"> {
  return { messaging_product: "chat", recipient: id };
}

/** How a message on its way looks in the thread. */
export function itemOf(entry: Outgoing, me: Me): TimelineItem {
  const { type } = entry.body;
  const message = {
    id: entry.key,
    object: "message",
    direction: "outbound",
    type,
    status: "queued",
    source: "dashboard",
    conversation_id: entry.conversation,
    is_revoked: false,
    created_at: entry.createdAt,
    updated_at: entry.createdAt,
    sent_by: { id: me.user.id, name: me.user.name },
    media: entry.file
      ? { mime_type: entry.file.type, filename: entry.file.name, size: entry.file.size, sha256: null }
      : null,
    quoted: null,
    reactions: [],
    [type]: entry.body[type],
    ...entry.shown,
  } as unknown as Message;
  return { id: entry.key, kind: "message", created_at: entry.createdAt, message };
}
