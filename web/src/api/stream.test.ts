import { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { isSignedIn } from "./client";
import { Stream, streamOnline, silence } from "./stream";
import { Locks, Server, stubChannels } from "./testing";

let server: Server;
const open: Stream[] = [];

/** A tab with something on screen; fetched counts how often that was fetched again. */
function tab() {
  const client = new QueryClient();
  const invalidate = vi.spyOn(client, "invalidateQueries").mockResolvedValue();
  const stream = new Stream(client);
  open.push(stream);
  return {
    stream,
    refreshed: () => invalidate.mock.calls.filter(([filter]) => filter === undefined).length,
    keys: () => invalidate.mock.calls.map(([filter]) => filter?.queryKey?.[0]).filter(Boolean),
  };
}

/** Lets what is under way happen, and then some time pass. */
const pass = (time = 0) => vi.advanceTimersByTimeAsync(time);

beforeEach(() => {
  vi.useFakeTimers();
  server = new Server();
  vi.stubGlobal("fetch", server.fetch);
  Object.defineProperty(navigator, "locks", { value: new Locks(), configurable: true });
  stubChannels();
});

afterEach(() => {
  open.splice(0).forEach((stream) => stream.close());
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test("one tab reads for all, and a hint reaches each", async () => {
  const [first, second] = [tab(), tab()];
  await pass();
  expect(server.connections).toHaveLength(1);
  server.last.write('data: {"kind":"labels"}\n\n');
  await pass(200);
  expect(first.keys()).toEqual(["labels"]);
  expect(second.keys()).toEqual(["labels"]);
});

test("a hint may arrive in pieces, between pings", async () => {
  const { keys } = tab();
  await pass();
  server.last.write(': ping\n\ndata: {"kind":');
  await pass();
  server.last.write('"people"}\n\n: ping\n\n');
  await pass(200);
  expect(keys()).toContain("people");
});

test("every connection fetches what is on screen again", async () => {
  const { refreshed } = tab();
  await pass();
  expect(refreshed()).toBe(1);
  server.last.end();
  await pass(1000);
  expect(server.connections).toHaveLength(2);
  expect(refreshed()).toBe(2);
});

test("when the reading tab closes, another goes on", async () => {
  const [first, second] = [tab(), tab()];
  await pass();
  first.stream.close();
  await pass();
  expect(server.connections).toHaveLength(2);
  expect(second.refreshed()).toBe(2);
});

test("the tabs know while the server is away, and when it is back", async () => {
  tab();
  await pass();
  expect(streamOnline()).toBe(true);
  server.refuse = 0;
  server.last.end();
  await pass(20_000);
  expect(streamOnline()).toBe(false);
  server.refuse = undefined;
  await pass(20_000);
  expect(streamOnline()).toBe(true);
});

test("a silent connection is given up: the machine slept, or the network changed", async () => {
  const { refreshed } = tab();
  await pass();
  await pass(20_000);
  server.last.write(": ping\n\n");
  await pass(20_000);
  expect(server.connections).toHaveLength(1);
  await pass(silence);
  expect(server.connections[0]?.dropped).toBe(true);
  expect(server.connections.length).toBeGreaterThan(1);
  expect(refreshed()).toBeGreaterThan(1);
});

test("a tab in front takes the stream from one that is frozen", async () => {
  const frozen = tab();
  await pass();
  // A frozen tab runs nothing: no timer, no answer.
  vi.clearAllTimers();
  const front = tab();
  await pass(silence + 5_000);
  expect(server.connections).toHaveLength(2);
  server.last.write('data: {"kind":"replies"}\n\n');
  await pass(200);
  expect(front.keys()).toContain("replies");
  frozen.stream.close();
  await pass();
  expect(server.last.dropped).toBe(false);
});

test("a refused session leads to the sign-in page", async () => {
  const assign = vi.fn();
  isSignedIn();
  vi.stubGlobal("location", { pathname: "/inbox", search: "", assign });
  server.refuse = 401;
  tab();
  await pass();
  expect(assign).toHaveBeenCalledWith("/login?return=%2Finbox");
});

test("a server that ends every stream at once is not asked without pause", async () => {
  tab();
  for (let i = 0; i < 100; i++) {
    await pass(100);
    if (server.connections.length > 0 && !server.last.dropped) server.last.end();
    server.last.dropped = true;
  }
  expect(server.connections.length).toBeLessThan(8);
});

test("without locks each tab reads for itself", async () => {
  Object.defineProperty(navigator, "locks", { value: undefined, configurable: true });
  tab();
  tab();
  await pass();
  expect(server.connections).toHaveLength(2);
});
