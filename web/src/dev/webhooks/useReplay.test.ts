import { expect, test } from "vitest";
import { replayAll, type ReplayFilter } from "./useReplay";

const filter: ReplayFilter = { subscription_id: "wbs_1", status: "dead" };

function steps(...answers: { enqueued: number; capped: boolean }[]) {
  let calls = 0;
  const step = () => Promise.resolve(answers[calls++]!);
  return { step, calls: () => calls };
}

test("a replay goes on until nothing is left, and tells how far it is", async () => {
  const { step } = steps({ enqueued: 1000, capped: true }, { enqueued: 1000, capped: true }, { enqueued: 7, capped: false });
  const told: number[] = [];
  expect(await replayAll(filter, () => true, (done) => told.push(done), step)).toBe(true);
  expect(told).toEqual([1000, 2000, 2007]);
});

test("who cancels stops before the next part", async () => {
  const { step, calls } = steps({ enqueued: 1000, capped: true }, { enqueued: 1000, capped: true });
  expect(await replayAll(filter, () => false, () => {}, step)).toBe(false);
  expect(calls()).toBe(1);
});
