import { readEvents, Refused, type Listener } from "./sse";

interface Observer extends Listener {
  /** The server is not there, and was not there a moment ago. */
  lost(): void;
  refused(status: number): void;
}

/** A connection that held for less than this does not count as one. */
const settled = 5_000;

/** The wait before the next attempt: short after the first loss, then 1, 2, 4 … 15 s. Chance keeps browsers out of step. */
export function pauseBefore(attempt: number): number {
  return attempt === 0 ? Math.random() * 300 : Math.min(15_000, 500 * 2 ** attempt) * (0.75 + Math.random() / 2);
}

/** Keeps one connection to the stream until it is closed. */
export class Connection {
  private readonly end = new AbortController();
  private current = new AbortController();
  private hurry: () => void = () => undefined;

  constructor(private readonly observer: Observer) {}

  async run(): Promise<void> {
    let attempt = 0;
    while (!this.end.signal.aborted) {
      const began = Date.now();
      await this.read();
      if (this.end.signal.aborted) return;
      if (Date.now() - began > settled) attempt = 0;
      if (attempt > 0) this.observer.lost();
      await this.pause(pauseBefore(attempt++));
    }
  }

  private async read(): Promise<void> {
    this.current = new AbortController();
    try {
      await readEvents(this.observer, AbortSignal.any([this.current.signal, this.end.signal]));
    } catch (error) {
      if (error instanceof Refused) this.observer.refused(error.status);
    }
  }

  private pause(length: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, length);
      this.hurry = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Drops the connection, which may be dead without knowing it, and connects anew at once. */
  again(): void {
    this.current.abort();
    this.hurry();
  }

  close(): void {
    this.end.abort();
    this.hurry();
  }
}
