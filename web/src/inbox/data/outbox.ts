import { ApiError } from "../../api/client";
import type { Message, MessageType, TimelineItem } from "../../api/types";

/** A message, or a note to colleagues, on its way to the server. */
export interface Outgoing {
  /** Its Idempotency-Key, the same on every try, so that nothing is sent twice. */
  key: string;
  conversation: string;
  number: string;
  /** The request; of a file, all but its id. */
  body: SendBody;
  /** It is a note, and its text is in the body: whom it mentions. */
  mentions?: string[];
  createdAt: string;
  /** "held": a colleague has replied meanwhile, and the writer is asked. */
  state: "waiting" | "failed" | "held" | "sent";
  error?: { code: string; message: string };
  /** The newest item of the thread that the writer could see. */
  seen?: string;
  /** The reply that came meanwhile. */
  reply?: Message;
  /** Who it goes to. */
  to?: string;
  /** What the server has made of it. */
  made?: Pick<TimelineItem, "id">;
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
  upload(entry: Outgoing, progress: (share: number) => void, signal: AbortSignal): Promise<string>;
  send(entry: Outgoing): Promise<Pick<TimelineItem, "id">>;
  /** A colleague's reply that the writer has not seen. */
  replyMeanwhile(entry: Outgoing): Promise<Message | null>;
}

interface Options {
  post: Post;
  pause: (ms: number) => Promise<void>;
  now: () => number;
  changed?: (entries: Outgoing[]) => void;
  /** Hears of each message that does not go out by itself any more. */
  stuck?: (entry: Outgoing) => void;
}

/** An answer to a message that goes out later than this would surprise everybody. */
const patience = 120_000;

/** If a message goes out later than this, somebody may have replied since it was written. */
const moment = 3_000;

export const isNote = ({ mentions }: Outgoing) => mentions !== undefined;

export const isStuck = ({ state }: Outgoing) => state === "failed" || state === "held";

/** Worth another try by itself: the server was not reached, or says that this passes. */
function passes(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.status === 0 || error.status === 429 || error.status >= 500 || error.code === "idempotency_in_progress";
}

/** Sends what people write, one after the other in each conversation, and tries again where that can help. */
export class Outbox {
  private entries: Outgoing[] = [];
  private readonly busy = new Set<string>();
  private readonly uploads = new Map<string, AbortController>();
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

  /**
   * Another try, with the same key: where the first one did arrive, the server says so. What the thread shows by now,
   * up to `seen`, is not asked about.
   */
  retry(key: string, seen: string | undefined): void {
    const createdAt = new Date(this.options.now()).toISOString();
    this.change(key, { state: "waiting", error: undefined, reply: undefined, createdAt, seen });
    const entry = this.find(key);
    if (entry) void this.work(entry.conversation);
  }

  /** Takes a message back, and ends the upload of its file. */
  discard(key: string): void {
    this.set(this.entries.filter((e) => e.key !== key));
    this.uploads.get(key)?.abort();
  }

  /** Leaves alone what another tab has sent or discarded. What was sent here is shown until the thread has it. */
  leave(key: string): void {
    if (this.entries.some((e) => e.key === key && e.state !== "sent")) this.discard(key);
  }

  /** Forgets what has come back in the thread. */
  settle(shown: ReadonlySet<string>): void {
    const left = this.entries.filter((e) => !(e.made && shown.has(e.made.id)));
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
        this.change(entry.key, await this.once(entry.key, attempt > 0));
        break;
      } catch (error) {
        if (!this.find(entry.key)) return;
        if (!passes(error) || this.options.now() > giveUp) {
          this.change(entry.key, { state: "failed", error: wordsOf(error), progress: undefined });
          break;
        }
        const asked = error instanceof ApiError ? (error.retryAfter ?? 0) * 1000 : 0;
        await this.options.pause(Math.max(asked, Math.min(15_000, 1000 * 2 ** attempt)));
      }
    }
    const now = this.find(entry.key);
    if (now && isStuck(now)) this.options.stuck?.(now);
  }

  /** One try, and what has become of the entry by it. */
  private async once(key: string, again: boolean): Promise<Partial<Outgoing>> {
    const entry = this.find(key);
    if (!entry) throw new Error("taken back");
    const whole = await this.whole(entry);
    if (!isNote(entry) && (again || this.options.now() - Date.parse(entry.createdAt) > moment)) {
      const reply = await this.meanwhile(entry);
      if (reply) return { state: "held", reply, progress: undefined };
    }
    if (!this.find(key)) throw new Error("taken back meanwhile");
    return { state: "sent", made: await this.options.post.send(whole) };
  }

  /** The entry with its file's id, once the file is there. */
  private async whole(entry: Outgoing): Promise<Outgoing> {
    if (!entry.file) return entry;
    const end = new AbortController();
    this.uploads.set(entry.key, end);
    const uploaded = this.options.post.upload(entry, (progress) => this.change(entry.key, { progress }), end.signal);
    const id = await uploaded.finally(() => this.uploads.delete(entry.key));
    const content = { ...(entry.body[entry.body.type] as object), id };
    return { ...entry, body: { ...entry.body, [entry.body.type]: content } };
  }

  /** Where the thread may not be seen, the server says to the message itself what is wrong. */
  private async meanwhile(entry: Outgoing): Promise<Message | null> {
    try {
      return await this.options.post.replyMeanwhile(entry);
    } catch (error) {
      if (passes(error)) throw error;
      return null;
    }
  }

  private find(key: string): Outgoing | undefined {
    return this.entries.find((e) => e.key === key);
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
