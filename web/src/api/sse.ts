import { address } from "./client";

export interface Listener {
  opened(): void;
  /** Anything arrived, even a ping: the connection lives. */
  alive(): void;
  data(text: string): void;
}

/** The connection was refused. */
export class Refused extends Error {
  constructor(readonly status: number) {
    super(`the stream was refused with status ${status}`);
  }
}

/**
 * Reads the server's events until they end. EventSource would hide the pings and the status of a refusal,
 * and both are needed: a silent connection is a dead one, and 401 means that the session has ended.
 */
export async function readEvents(listener: Listener, signal: AbortSignal): Promise<void> {
  const response = await fetch(address("/stream"), {
    headers: { Accept: "text/event-stream" },
    signal,
    cache: "no-store",
  });
  if (!response.ok || !response.body) throw new Refused(response.status);
  listener.opened();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    listener.alive();
    const lines = (rest + value).split(/\r?\n/);
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data:")) listener.data(line.slice(5).trim());
  }
}
