import { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { invalidator, keysOf } from "./hints";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a hint names what it makes old", () => {
  expect(keysOf({ kind: "conversation", id: "cnv_1" })).toContainEqual(["conversation", "cnv_1"]);
  expect(keysOf({ kind: "labels" })).toEqual([["labels"]]);
  expect(keysOf({ kind: "hello", version: "1" })).toEqual([]);
});

test("many hints at once fetch each thing once", async () => {
  const client = new QueryClient();
  const invalidate = vi.spyOn(client, "invalidateQueries").mockResolvedValue();
  const take = invalidator(client, 100);
  for (let i = 0; i < 50; i++) take({ kind: "conversation", id: `cnv_${i % 2}` });
  expect(invalidate).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(100);
  const keys = invalidate.mock.calls.map(([filter]) => JSON.stringify(filter?.queryKey));
  expect(keys.toSorted()).toEqual([
    '["conversation","cnv_0"]',
    '["conversation","cnv_1"]',
    '["conversations"]',
    '["counts"]',
  ]);
  take({ kind: "labels" });
  await vi.advanceTimersByTimeAsync(300);
  expect(invalidate).toHaveBeenLastCalledWith({ queryKey: ["labels"] });
});

test("a hint without keys does not hold up those after it", () => {
  const client = new QueryClient();
  const invalidate = vi.spyOn(client, "invalidateQueries").mockResolvedValue();
  const take = invalidator(client, 100);
  take({ kind: "hello", version: "1" });
  take({ kind: "people" });
  vi.advanceTimersByTime(200);
  expect(invalidate).toHaveBeenCalledWith({ queryKey: ["people"] });
});

test("a flood is fetched a few times a second, and what comes after it soon", async () => {
  const client = new QueryClient();
  const invalidate = vi.spyOn(client, "invalidateQueries").mockResolvedValue();
  const take = invalidator(client, 100);
  for (let i = 0; i < 100; i++) {
    take({ kind: "labels" });
    await vi.advanceTimersByTimeAsync(20);
  }
  expect(invalidate.mock.calls.length).toBeGreaterThan(4);
  expect(invalidate.mock.calls.length).toBeLessThan(9);
  await vi.advanceTimersByTimeAsync(1_000);
  invalidate.mockClear();
  take({ kind: "people" });
  await vi.advanceTimersByTimeAsync(100);
  expect(invalidate).toHaveBeenCalledWith({ queryKey: ["people"] });
});

/** A client whose fetches end when the test says so. */
function slowClient() {
  const client = new QueryClient();
  const asked: string[] = [];
  const ends: (() => void)[] = [];
  vi.spyOn(client, "invalidateQueries").mockImplementation((filter) => {
    asked.push(JSON.stringify(filter?.queryKey));
    return new Promise<void>((done) => ends.push(done));
  });
  const finish = async () => {
    ends.splice(0).forEach((end) => end());
    await vi.advanceTimersByTimeAsync(0);
  };
  return { client, asked, finish };
}

test("a fetch ends before the same is fetched again", async () => {
  const { client, asked, finish } = slowClient();
  const take = invalidator(client, 100);
  take({ kind: "inbox" });
  await vi.advanceTimersByTimeAsync(100);
  take({ kind: "inbox" });
  await vi.advanceTimersByTimeAsync(500);
  expect(asked).toEqual(['["conversations"]', '["counts"]']);
  await finish();
  await vi.advanceTimersByTimeAsync(300);
  expect(asked).toEqual(['["conversations"]', '["counts"]', '["conversations"]', '["counts"]']);
});

test("a fetch that hangs does not hold up what comes after it", async () => {
  const { client, asked } = slowClient();
  const take = invalidator(client, 100);
  take({ kind: "labels" });
  await vi.advanceTimersByTimeAsync(100);
  take({ kind: "labels" });
  await vi.advanceTimersByTimeAsync(3_400);
  expect(asked).toEqual(['["labels"]', '["labels"]']);
});
