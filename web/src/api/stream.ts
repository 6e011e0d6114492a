import type { QueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { Store, useStore } from "../ui/store";
import { get, toLogin } from "./client";
import { Connection } from "./connection";
import { invalidator } from "./hints";
import type { Hint } from "./types";

/** The server pings every 20 s. A tab that has heard nothing for this long slept, or is cut off. */
export const silence = 30_000;
const tick = 2_000;
const name = "parley-stream";

/** What tabs tell each other. */
type Shared = { hint: Hint } | { online: boolean } | { refresh: true } | { beat: true } | { who: true };

const online = new Store(true);
let reading = false;
type HintListener = (hint: Hint) => void | Promise<void>;
const listeners = new Set<HintListener>();

/**
 * The live stream, one for all tabs: browsers allow only six connections to a host without TLS. The tab that
 * has the lock reads it and tells the others. A tab in front that hears nothing any more takes the lock away,
 * because the one that has it may have been frozen in the background.
 */
export class Stream {
  private heard = Date.now();
  private beaten = 0;
  private readonly channel = new BroadcastChannel(name);
  private readonly end = new AbortController();
  private queued = new AbortController();
  private connection: Connection | undefined;
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
    this.queued.abort();
    this.connection?.close();
    this.channel.close();
  }

  /** Waits for the lock, or takes it away, and reads the stream as long as this tab has it. */
  private async hold(steal: boolean): Promise<void> {
    this.queued.abort();
    const mine = (this.queued = new AbortController());
    const connection = this.newConnection();
    const read = () => {
      this.connection = connection;
      reading = true;
      return connection.run();
    };
    // Without TLS, and not on localhost, browsers have no locks: then each tab reads for itself.
    const locks = navigator.locks as LockManager | undefined;
    try {
      await (locks ? locks.request(name, steal ? { steal } : { signal: mine.signal }, read) : read());
    } catch (error) {
      // Given up for another request of ours, or another tab took the lock away. Whatever else it is, it would be again.
      if (!(error instanceof DOMException && error.name === "AbortError")) await read();
    }
    connection.close();
    if (this.connection === connection) {
      this.connection = undefined;
      reading = false;
    }
    if (!this.end.signal.aborted && this.queued === mine) void this.hold(false);
  }

  private newConnection(): Connection {
    return new Connection({
      opened: () => {
        this.tell({ online: true });
        this.tell({ refresh: true });
      },
      alive: () => this.beat(),
      data: (text) => this.tell({ hint: JSON.parse(text) as Hint }),
      lost: () => this.tell({ online: false }),
      refused: (status) => {
        if (status === 401) toLogin();
      },
    });
  }

  /** Tells the other tabs that the stream lives: often enough for them, and not with each message of a flood. */
  private beat(): void {
    this.heard = Date.now();
    if (this.heard - this.beaten < tick) return;
    this.beaten = this.heard;
    this.tell({ beat: true });
  }

  /** Tells every tab, this one too. */
  private tell(shared: Shared): void {
    if (this.end.signal.aborted) return;
    this.channel.postMessage(shared);
    this.take(shared);
  }

  private take(shared: Shared): void {
    this.heard = Date.now();
    if ("online" in shared) online.set(shared.online);
    if ("refresh" in shared) this.refresh();
    if ("who" in shared && this.connection) this.channel.postMessage({ online: online.get() } satisfies Shared);
    if ("hint" in shared) this.takeHint(shared.hint);
  }

  private takeHint(hint: Hint): void {
    // The session has ended or the role has changed. Asking who we are leads to the sign-in page where it has ended.
    if (hint.kind === "session") get("/me").then(() => this.refresh(), () => undefined);
    // What the organization has chosen decides what is shown, for example of people's numbers.
    if (hint.kind === "all" || hint.kind === "organization") this.refresh();
    this.invalidate(hint);
    for (const listener of listeners) void listener(hint);
  }

  /** Everything on screen is fetched again; what is not on screen, when it comes back. */
  private refresh(): void {
    void this.client.invalidateQueries();
  }

  private look(): void {
    if (document.visibilityState === "visible" && Date.now() - this.heard > silence) this.wake();
  }

  /** After sleep, or when the network is back, nothing on screen can be trusted. */
  private wake(): void {
    this.heard = Date.now();
    this.refresh();
    if (this.connection) this.connection.again();
    else void this.hold(true);
  }
}

/** Reads the stream while the component is there; for the shell. */
export function useStream(client: QueryClient): void {
  useEffect(() => {
    const stream = new Stream(client);
    return () => stream.close();
  }, [client]);
}

/** Whether this tab reads the stream for all of them: what must happen once, happens there. */
export const readsStream = () => reading;

/** Whether the live stream is connected. False: what is on screen may be old, and the page says so. */
export const streamOnline = online.get;

/** The same for components. */
export function useOnline(): boolean {
  return useStore(online);
}

/** Calls the listener with every hint, for what queries alone cannot do. The listener must be stable. */
export function useHints(listener: HintListener): void {
  useEffect(() => {
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, [listener]);
}
