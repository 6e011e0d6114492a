import { vi } from "vitest";

/** The browser's locks, as far as the stream uses them: one holder, a queue, and stealing. */
export class Locks {
  private holder: { stolen: (reason: unknown) => void } | undefined;
  private readonly queue: (() => void)[] = [];

  request = async (
    _: string,
    options: { steal?: boolean; signal?: AbortSignal },
    run: () => Promise<unknown>,
  ): Promise<unknown> => {
    if (options.steal) {
      this.holder?.stolen(new DOMException("stolen", "AbortError"));
      this.holder = undefined;
    }
    while (this.holder) await this.turn(options.signal);
    return this.hold(run);
  };

  private turn(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      this.queue.push(resolve);
      signal?.addEventListener("abort", () => reject(new DOMException("given up", "AbortError")));
    });
  }

  private async hold(run: () => Promise<unknown>): Promise<unknown> {
    let stolen: (reason: unknown) => void = () => undefined;
    const taken = new Promise((_, reject) => (stolen = reject));
    const mine = (this.holder = { stolen });
    try {
      return await Promise.race([run(), taken]);
    } finally {
      if (this.holder === mine) this.holder = undefined;
      this.queue.shift()?.();
    }
  }
}

/** A server of streams: each connection is kept, and the test writes into it or ends it. */
export class Server {
  readonly connections: { write: (text: string) => void; end: () => void; dropped: boolean }[] = [];
  /** What the next connections are answered with instead of a stream. */
  refuse: number | undefined;

  fetch = (_: string, init: RequestInit): Promise<Response> => {
    if (this.refuse === 0) return Promise.reject(new TypeError("Failed to fetch"));
    if (this.refuse) return Promise.resolve(new Response("{}", { status: this.refuse }));
    const encoder = new TextEncoder();
    let control: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({ start: (c) => void (control = c) });
    const connection = {
      write: (text: string) => control?.enqueue(encoder.encode(text)),
      end: () => control?.close(),
      dropped: false,
    };
    init.signal?.addEventListener("abort", () => {
      connection.dropped = true;
      control?.error(new DOMException("aborted", "AbortError"));
    });
    this.connections.push(connection);
    return Promise.resolve(new Response(body));
  };

  get last() {
    const connection = this.connections.at(-1);
    if (!connection) throw new Error("nobody has connected");
    return connection;
  }
}

/** Channels between tabs that deliver at once: the real ones deliver when they like. */
export function stubChannels(): void {
  const open = new Set<{ onmessage: ((event: { data: unknown }) => void) | null }>();
  vi.stubGlobal(
    "BroadcastChannel",
    class {
      onmessage: ((event: { data: unknown }) => void) | null = null;
      constructor() {
        open.add(this);
      }
      postMessage(data: unknown) {
        for (const other of open) if (other !== this) other.onmessage?.({ data });
      }
      close() {
        open.delete(this);
      }
    },
  );
}
