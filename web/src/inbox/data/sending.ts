import { useSyncExternalStore } from "react";
import { send } from "../../api/client";
import type { ThreadRef, Me, Message, TimelineItem } from "../../api/types";
import { text } from "../../i18n";
import { dismiss, toast } from "../../ui/toasts";
import { colleagueReplied } from "../composer/collision";
import { inboxPath } from "../place";
import { isNote, isStuck, Outbox, type Outgoing, type SendBody } from "./outbox";
import { Shelf } from "./shelf";
import { fetchNewest } from "./timeline";
import { uploadFile } from "./upload";

let shelf: Shelf | undefined;
let me = "";
/** What was not sent before a reload is sent after it, unless that is long ago: then its writer is asked. */
const sendFor = 600_000;
/** The server knows a message's key for a day. After that a second try could be a second message. */
const keepFor = 20 * 3_600_000;

const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

export function stillKept(entries: Outgoing[], now: number): Outgoing[] {
  const age = (e: Outgoing) => now - Date.parse(e.createdAt);
  return entries
    .filter((e) => age(e) < keepFor)
    .map((e) => (e.state === "waiting" && age(e) >= sendFor ? { ...e, state: "failed", error: { code: "late", message: "" } } : e));
}

/** What was said of each conversation: of several messages that stay behind it is said once. */
const told = new Map<string, number>();

/** Who has gone on to something else is told that a message stays behind. */
function tellStuck(entry: Outgoing): void {
  const { conversation, to } = entry;
  if (location.pathname.endsWith(`/${conversation}`)) return;
  const open = () =>
    void import("../../router").then(({ router }) => router.navigate({ to: inboxPath, params: { view: "all", conversation } }));
  dismiss(told.get(conversation) ?? 0);
  told.set(conversation, toast(isNote(entry) ? text("inbox").noteNotSent(to) : text("inbox").notSentTo(to), { kind: "error", open }));
}

const ask = (event: BeforeUnloadEvent) => event.preventDefault();

/** Only this page has the files of what was not sent: who closes it is asked first. */
function holdPage(entries: Outgoing[]): void {
  if (entries.some(({ file, state }) => file && state !== "sent")) addEventListener("beforeunload", ask);
  else removeEventListener("beforeunload", ask);
}

const sendMessage = ({ key, number, body }: Outgoing) =>
  send<Message>("POST", `/${number}/messages`, body, { idempotencyKey: key });

const sendNote = ({ key, conversation, body, mentions }: Outgoing) =>
  send<TimelineItem>("POST", `/conversations/${conversation}/notes`, { body: (body.text as { body: string }).body, mentions }, { idempotencyKey: key });

export const outbox = new Outbox({
  post: {
    upload: (entry, progress, signal) =>
      uploadFile(entry.number, entry.file as File, `${entry.key}-file`, "attachments", progress, signal),
    send: (entry) => (isNote(entry) ? sendNote(entry) : sendMessage(entry)),
    replyMeanwhile: async (entry) => colleagueReplied(await fetchNewest(entry.conversation), entry, me),
  },
  pause,
  now: Date.now,
  changed: (entries) => {
    shelf?.keep(entries);
    holdPage(entries);
  },
  stuck: tellStuck,
});

/** Goes on with what this person had not sent before a reload. */
export function openOutbox(user: string): void {
  if (me === user) return;
  [shelf, me] = [new Shelf(localStorage, user), user];
  outbox.add(...stillKept(shelf.read(), Date.now()));
  shelf.follow((key) => outbox.leave(key));
}

export function useOutbox(): Outgoing[] {
  return useSyncExternalStore(outbox.watch, outbox.all);
}

/** Whether a message to a conversation has stayed behind: only this browser knows. */
export function useUnsent(conversation: string): boolean {
  return useSyncExternalStore(outbox.watch, () =>
    outbox.all().some((e) => e.conversation === conversation && isStuck(e)),
  );
}

/** Who a message to a conversation goes to. Not everybody who writes may see the number. */
export function recipientOf({ id }: Pick<ThreadRef, "id">): Pick<SendBody, "messaging_product" | "recipient"> {
  return { messaging_product: "chat", recipient: id };
}

/** How a message or a note on its way looks in the thread. */
export function itemOf(entry: Outgoing, me: Me): TimelineItem {
  const { type } = entry.body;
  const by = { id: me.user.id, name: me.user.name };
  if (entry.mentions) {
    const { body } = entry.body.text as { body: string };
    const note = { body, author: by, mentions: entry.mentions, edited_at: null };
    return { id: entry.key, kind: "note", created_at: entry.createdAt, note };
  }
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
    sent_by: by,
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
