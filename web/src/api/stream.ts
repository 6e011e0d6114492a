import type { QueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { ApiError, get, toLogin } from "./client";
import { invalidator } from "./hints";
import { readEvents, Refused } from "./sse";
import type { Hint } from "./types";

/** The server pings every 20 s. Whoever hears nothing for this long is cut off. */
export const silence = 50_000;
/** Timers of a machine that sleeps stand still; a gap of this length means that it slept. */
const slept = 15_000;
const tick = 5_000;
const lockName = "parley-stream";

type Shared = { hint: Hint } | { online: boolean } | { refresh: true } | { beat: true } | { who: true };

/**
 * The live stream, one for all tabs: browsers allow only six connections to a host without TLS. The tab that
 * has the lock reads it and tells the others. A tab in front that hears nothing any more takes the lock away,
 * because the one that has it may have been frozen in the background.
 */
export class Stream {
  private online = true;
  private heard = Date.now();
  private ticked = Date.now();
  private readonly channel = new BroadcastChannel(lockName);
  private readonly end = new AbortController();
  private connection: AbortController | undefined;
  private readonly watchers = new Set<() => void>();
  private readonly listeners = new Set<(hint: Hint) => void>();
  private readonly invalidate: (hint: Hint) => void;

  constructor(private readonly client: QueryClient) {
    this.invalidate = invalidator(client);
    this.channel.onmessage = (event: MessageEvent<Shared>) => this.take(event.data);
    const { signal } = this.end;
    window.addEventListener("online", () => this.wake(), { signal });
    document.addEventListener("visibilitychange", () => this.look(), { signal });
    const timer = setInterval(() => this.look(), tick);
    signal.addEventListener("abort", () => clearInterval(timer));
    this.channel.postMessage({ who: true } satisfies Shared);
    void this.hold(false);
  }

  close(): void {
    this.end.abort();
    this.connection?.abort();
    this.channel.close();
  }

  isOnline = (): boolean => this.online;

  watch = (changed: () => void): (() => void) => {
    this.watchers.add(changed);
    return () => this.watchers.delete(changed);
  };

  onHint(listener: (hint: Hint) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Waits for the lock, or takes it, and reads the stream as long as this tab has it. */
  private async hold(steal: boolean): Promise<void> {
    const { signal } = this.end;
    try {
      await navigator.locks.request(lockName, steal ? { steal } : { signal }, () => this.read());
    } catch {
      // Another tab took the lock: stand in the queue again.
      this.connection?.abort();
      this.connection = undefined;
    }
    if (!signal.aborted) void this.hold(false);
  }

  private async read(): Promise<void> {
    const mine = new AbortController();
    this.connection = mine;
    for (let attempt = 0; !this.end.signal.aborted && this.connection === mine; attempt++) {
      const attemptEnd = new AbortController();
      mine.signal.addEventListener("abort", () => attemptEnd.abort(), { once: true });
      this.reconnect = () => attemptEnd.abort();
      await readEvents(
        {
          opened: () => {
            attempt = 0;
            this.tell({ online: true });
            this.tell({ refresh: true });
          },
          alive: () => this.tell({ beat: true }),
          data: (text) => this.tell({ hint: JSON.parse(text) as Hint }),
        },
        attemptEnd.signal,
      ).catch((error: unknown) => {
        if (error instanceof Refused && error.status === 401) toLogin();
      });
      if (this.end.signal.aborted || this.connection !== mine) return;
      if (attempt > 0) this.tell({ online: false });
      await this.pause(attempt);
    }
  }

  private reconnect: () => void = () => undefined;
  private hurry: () => void = () => undefined;

  /** The first try is at once; after it 1, 2, 4 … 15 s with some chance in it, so that tabs do not come back in step. */
  private pause(attempt: number): Promise<void> {
    if (attempt === 0) return Promise.resolve();
    const wait = Math.min(15_000, 500 * 2 ** attempt) * (0.75 + Math.random() / 2);
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, wait);
      this.hurry = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Tells every tab, this one too. */
  private tell(shared: Shared): void {
    this.channel.postMessage(shared);
    this.take(shared);
  }

  private take(shared: Shared): void {
    this.heard = Date.now();
    if ("online" in shared) this.setOnline(shared.online);
    if ("refresh" in shared) this.refresh();
    if ("who" in shared && this.connection) this.channel.postMessage({ online: this.online } satisfies Shared);
    if ("hint" in shared) this.takeHint(shared.hint);
  }

  private takeHint(hint: Hint): void {
    // The session may have ended for this browser, or a role changed: the server knows which.
    if (hint.kind === "session") void this.askWhoIAm();
    this.invalidate(hint);
    for (const listener of this.listeners) listener(hint);
  }

  private async askWhoIAm(): Promise<void> {
    await get("/me").catch((error: unknown) => error as ApiError);
    void this.client.invalidateQueries({ queryKey: ["me"] });
  }

  private setOnline(online: boolean): void {
    if (this.online === online) return;
    this.online = online;
    for (const changed of this.watchers) changed();
  }

  /** Everything on screen is fetched again; what is not on screen, when it comes back. */
  private refresh(): void {
    void this.client.invalidateQueries();
  }

  private look(): void {
    const now = Date.now();
    const gap = now - this.ticked;
    this.ticked = now;
    if (document.visibilityState !== "visible") return;
    if (gap > slept + tick) this.wake();
    else if (now - this.heard > silence) this.revive();
  }

  /** After sleep, or when the network is back: nothing on screen can be trusted. */
  private wake(): void {
    this.refresh();
    this.revive();
  }

  private revive(): void {
    this.heard = Date.now();
    this.hurry();
    if (this.connection) this.reconnect();
    else void this.hold(true);
  }
}

let stream: Stream | undefined;

/** Opens the stream when somebody is signed in; called by the shell. */
export function useStream(client: QueryClient): void {
  useEffect(() => {
    const opened = new Stream(client);
    stream = opened;
    notify();
    return () => {
      opened.close();
      stream = undefined;
      notify();
    };
  }, [client]);
}

const waiting = new Set<() => void>();
const notify = () => waiting.forEach((changed) => changed());

function subscribe(changed: () => void): () => void {
  let leave = stream?.watch(changed);
  const again = () => {
    leave?.();
    leave = stream?.watch(changed);
    changed();
  };
  waiting.add(again);
  return () => {
    waiting.delete(again);
    leave?.();
  };
}

/** Whether the live stream is connected. False: what is on screen may be old, and the page says so. */
export function useOnline(): boolean {
  return useSyncExternalStore(subscribe, () => stream?.isOnline() ?? true);
}

/** Calls the listener with every hint, for what queries alone cannot do. The listener must be stable. */
export function useHints(listener: (hint: Hint) => void): void {
  useEffect(() => {
    let leave = stream?.onHint(listener);
    const again = () => {
      leave?.();
      leave = stream?.onHint(listener);
    };
    waiting.add(again);
    return () => {
      waiting.delete(again);
      leave?.();
    };
  }, [listener]);
}
