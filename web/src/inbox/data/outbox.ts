import { ApiError } from "../../api/client";
import type { Message, MessageType } from "../../api/types";

/** A message on its way to the server. */
export interface Outgoing {
  /** Its Idempotency-Key, the same on every try, so that nothing is sent twice. */
  key: string;
  conversation: string;
  number: string;
  /** The request; of a file, all but its id. */
  body: SendBody;
  createdAt: string;
  state: "waiting" | "failed" | "sent";
  error?: { code: string; message: string };
  /** The message that the server has made of it. */
  message?: Message;
  /** How the thread shows it beside its content, such as a template's preview. */
  shown?: Partial<Message>;
  file?: File;
  /** Where the file is that the message names, on this host. */
  path?: string;
  /** How much of the file has arrived, from 0 to 1. */
  progress?: number;
}

export interface SendBody {
  messaging_product: "chat";
  to?: string;
  recipient?: string;
  type: MessageType;
  context?: { message_id: string };
  [content: string]: unknown;
}

export interface Post {
  /** Stores the entry's file and returns the library's id. */
  upload(entry: Outgoing, progress: (share: number) => void): Promise<string>;
  send(entry: Outgoing): Promise<Message>;
}

interface Options {
  post: Post;
  pause: (ms: number) => Promise<void>;
  now: () => number;
  changed?: (entries: Outgoing[]) => void;
}

/** An answer to a message that goes out later than this would surprise everybody. */
const patience = 120_000;

/** Worth another try by itself: the server was not reached, or says that this passes. */
function passes(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.status === 0 || error.status === 429 || error.status >= 500 || error.code === "idempotency_in_progress";
}

/** Sends what people write, one after the other in each conversation, and tries again where that can help. */
export class Outbox {
  private entries: Outgoing[] = [];
  private readonly busy = new Set<string>();
  private readonly watchers = new Set<() => void>();

  constructor(private readonly options: Options) {}

  all = (): Outgoing[] => this.entries;

  watch = (changed: () => void): (() => void) => {
    this.watchers.add(changed);
    return () => this.watchers.delete(changed);
  };

  add(...entries: Outgoing[]): void {
    this.set([...this.entries, ...entries]);
    for (const { conversation } of entries) void this.work(conversation);
  }

  /** Another try, with the same key: where the first one did arrive, the server says so. */
  retry(key: string): void {
    this.change(key, { state: "waiting", error: undefined, createdAt: new Date(this.options.now()).toISOString() });
    const entry = this.entries.find((e) => e.key === key);
    if (entry) void this.work(entry.conversation);
  }

  discard(key: string): void {
    this.set(this.entries.filter((e) => e.key !== key));
  }

  /** Forgets what has come back in the thread. */
  settle(shown: ReadonlySet<string>): void {
    const left = this.entries.filter((e) => !(e.message && shown.has(e.message.id)));
    if (left.length < this.entries.length) this.set(left);
  }

  private async work(conversation: string): Promise<void> {
    if (this.busy.has(conversation)) return;
    this.busy.add(conversation);
    for (;;) {
      const next = this.entries.find((e) => e.conversation === conversation && e.state === "waiting");
      if (!next) break;
      await this.deliver(next);
    }
    this.busy.delete(conversation);
  }

  private async deliver(entry: Outgoing): Promise<void> {
    const giveUp = Date.parse(entry.createdAt) + patience;
    for (let attempt = 0; ; attempt++) {
      try {
        const message = await this.once(entry.key);
        this.change(entry.key, { state: "sent", message });
        return;
      } catch (error) {
        if (!this.entries.some((e) => e.key === entry.key)) return;
        if (!passes(error) || this.options.now() > giveUp) {
          this.change(entry.key, { state: "failed", error: wordsOf(error), progress: undefined });
          return;
        }
        const asked = error instanceof ApiError ? (error.retryAfter ?? 0) * 1000 : 0;
        await this.options.pause(Math.max(asked, Math.min(15_000, 1000 * 2 ** attempt)));
      }
    }
  }

  private async once(key: string): Promise<Message> {
    const entry = this.entries.find((e) => e.key === key);
    if (!entry) throw new Error("taken back");
    if (!entry.file) return this.options.post.send(entry);
    const id = await this.options.post.upload(entry, (progress) => this.change(key, { progress }));
    const content = { ...(entry.body[entry.body.type] as object), id };
    const whole = { ...entry, body: { ...entry.body, [entry.body.type]: content } };
    return this.options.post.send(whole);
  }

  private change(key: string, change: Partial<Outgoing>): void {
    this.set(this.entries.map((e) => (e.key === key ? { ...e, ...change } : e)));
  }

  private set(entries: Outgoing[]): void {
    this.entries = entries;
    this.options.changed?.(entries);
    for (const changed of this.watchers) changed();
  }
}

function wordsOf(error: unknown): { code: string; message: string } {
  if (error instanceof ApiError) return { code: error.code, message: error.message };
  return { code: "unknown", message: error instanceof Error ? error.message : String(error) };
}
