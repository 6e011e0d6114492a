import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ApiError } from "../../api/client";
import { uploadFile } from "./upload";

/** A request that goes as far as the test lets it. */
class Line {
  static last: Line;
  upload: { onprogress?: (event: object) => void } = {};
  onabort?: () => void;
  onloadend?: () => void;
  open = vi.fn();
  setRequestHeader = vi.fn();
  send = vi.fn();
  abort = vi.fn(() => {
    this.onabort?.();
    this.onloadend?.();
  });

  constructor() {
    Line.last = this;
  }
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("XMLHttpRequest", Line);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const begin = (signal?: AbortSignal) => uploadFile("100", new File(["x"], "x.png"), "key", "attachments", () => undefined, signal);
const lost = new ApiError(0, "offline", "The server cannot be reached.");

it("goes on as long as something of the file moves, and ends a minute after that", async () => {
  const uploaded = expect(begin()).rejects.toEqual(lost);
  for (let i = 0; i < 3; i++) {
    vi.advanceTimersByTime(59_000);
    Line.last.upload.onprogress?.({ lengthComputable: true, loaded: i, total: 9 });
  }
  expect(Line.last.abort).not.toHaveBeenCalled();
  vi.advanceTimersByTime(60_000);
  expect(Line.last.abort).toHaveBeenCalledOnce();
  await uploaded;
});

it("ends when it is not wanted any more", async () => {
  const wanted = new AbortController();
  const uploaded = expect(begin(wanted.signal)).rejects.toEqual(lost);
  wanted.abort();
  await uploaded;
  expect(vi.getTimerCount()).toBe(0);
});
