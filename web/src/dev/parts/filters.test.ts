import { InfiniteQueryObserver, QueryClient } from "@tanstack/react-query";
import { afterEach, expect, test, vi } from "vitest";
import { fromOf, pagesSince } from "./filters";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test("a span begins so long ago, and stays for a minute", () => {
  const now = Date.parse("2026-11-16T12:00:30Z");
  expect(fromOf("hour", now)).toBe("2026-11-16T11:00:00.000Z");
  expect(fromOf("hour", now + 20_000)).toBe("2026-11-16T11:00:00.000Z");
  expect(fromOf("day", now)).toBe("2026-11-15T12:00:00.000Z");
});

test("without a span there is no beginning", () => {
  expect(fromOf(undefined)).toBeUndefined();
  expect(fromOf("for ever")).toBeUndefined();
});

test("a list of the last hour goes on with the clock, all its pages from the same instant", async () => {
  vi.useFakeTimers({ now: Date.parse("2026-11-16T12:00:30Z"), toFake: ["Date"] });
  const asked: string[] = [];
  vi.stubGlobal("fetch", (url: string) => {
    const query = new URL(url, "http://x").searchParams;
    asked.push(`${query.get("from")} ${query.get("cursor") ?? ""}`);
    return Promise.resolve(new Response(JSON.stringify({ data: [1], has_more: true, next_cursor: `c${asked.length}` })));
  });
  const observer = new InfiniteQueryObserver(new QueryClient(), pagesSince<number>("events", "/events", "from", { since: "hour" }));
  await observer.refetch();
  vi.setSystemTime(Date.parse("2026-11-16T12:10:30Z"));
  await observer.fetchNextPage();
  expect(asked).toEqual(["2026-11-16T11:00:00.000Z ", "2026-11-16T11:00:00.000Z c1"]);
  asked.length = 0;
  await observer.refetch();
  expect(asked).toEqual(["2026-11-16T11:10:00.000Z ", "2026-11-16T11:10:00.000Z c1"]);
});
