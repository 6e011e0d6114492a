import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { part } from "./part";

let server: "away" | "there" | "behind a proxy";
const asked: string[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  asked.length = 0;
  vi.stubGlobal("fetch", (url: string) => {
    asked.push(url);
    if (server === "away") return Promise.reject(new TypeError("Failed to fetch"));
    return Promise.resolve(new Response("", { status: server === "there" ? 200 : 502 }));
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const failing = () => Promise.reject(new Error("Failed to fetch dynamically imported module"));

test.each(["away", "behind a proxy"] as const)("waits for a server that is %s", async (state) => {
  server = state;
  const load = vi.fn<() => Promise<unknown>>(failing);
  const loaded = part(load);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(load).toHaveBeenCalledTimes(1);
  server = "there";
  load.mockResolvedValue("the part");
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await loaded).toBe("the part");
});

test("says that a part is missing where the server is there", async () => {
  server = "there";
  const load = vi.fn(failing);
  await expect(part(load)).rejects.toThrow("dynamically imported module");
  expect(load).toHaveBeenCalledTimes(2);
});

test("asks nobody where the part comes", async () => {
  expect(await part(() => Promise.resolve("the part"))).toBe("the part");
  expect(asked).toEqual([]);
});

test("takes away styles that did not come, so that they are fetched again", async () => {
  server = "there";
  const link = document.createElement("link");
  link.rel = "stylesheet";
  document.head.append(link);
  await expect(part(failing)).rejects.toThrow();
  expect(link.isConnected).toBe(false);
});
