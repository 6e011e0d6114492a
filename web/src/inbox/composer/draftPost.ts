import { ApiError } from "../../api/client";
import type { DraftKind } from "./drafts";

interface Options {
  put: (conversation: string, kind: DraftKind, body: string) => Promise<unknown>;
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

  constructor(private readonly options: Options) {}

  /** Whether the server has yet to hear of this draft: until then its own is old. */
  owes(conversation: string, kind: DraftKind): boolean {
    return this.busy.has(keyOf(conversation, kind));
  }

  async keep(conversation: string, kind: DraftKind, body: string): Promise<void> {
    const key = keyOf(conversation, kind);
    this.wanted.set(key, body);
    if (this.busy.has(key)) return;
    this.busy.add(key);
    for (let failures = 0; this.wanted.has(key); ) {
      const next = this.wanted.get(key) ?? "";
      try {
        await this.options.put(conversation, kind, next);
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
