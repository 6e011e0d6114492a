import { ApiError } from "../../api/client";
import type { DraftKind } from "./drafts";

/** What the server has of a draft, and since when by its own clock. */
export interface Known {
  body: string;
  updated_at: string | null;
}

interface Options {
  put: (conversation: string, kind: DraftKind, body: string) => Promise<Known>;
  pause: (ms: number) => Promise<void>;
}

const keyOf = (conversation: string, kind: DraftKind) => `${conversation} ${kind}`;

/**
 * Tells the server of drafts: of each the latest, one request after the other, and again where it was not reached. A
 * draft that the server still had after it was sent would be offered once more.
 */
export class DraftPost {
  private readonly wanted = new Map<string, string>();
  private readonly busy = new Set<string>();
  private readonly answers = new Map<string, Known>();

  constructor(private readonly options: Options) {}

  /** Whether the server has yet to hear of this draft: until then its own is old. */
  owes(conversation: string, kind: DraftKind): boolean {
    return this.busy.has(keyOf(conversation, kind));
  }

  /** What the server has answered last. */
  known(conversation: string, kind: DraftKind): Known | undefined {
    return this.answers.get(keyOf(conversation, kind));
  }

  async keep(conversation: string, kind: DraftKind, body: string): Promise<void> {
    const key = keyOf(conversation, kind);
    this.wanted.set(key, body);
    if (this.busy.has(key)) return;
    this.busy.add(key);
    for (let failures = 0; this.wanted.has(key); ) {
      const next = this.wanted.get(key) ?? "";
      try {
        this.answers.set(key, await this.options.put(conversation, kind, next));
        failures = 0;
      } catch (error) {
        if (error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500)) {
          await this.options.pause(Math.min(15_000, 1000 * 2 ** failures++));
          continue;
        }
      }
      if (this.wanted.get(key) === next) this.wanted.delete(key);
    }
    this.busy.delete(key);
  }
}
