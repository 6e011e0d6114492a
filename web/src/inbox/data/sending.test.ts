import { expect, it } from "vitest";
import type { Outgoing } from "./outbox";
import { stillKept } from "./sending";

const hour = 3_600_000;
const now = 100 * hour;
const kept = (age: number, state: Outgoing["state"] = "waiting") =>
  stillKept([{ key: "a", state, createdAt: new Date(now - age).toISOString() } as Outgoing], now)[0]?.state;

it("goes on after a reload with what was written just now", () => {
  expect(kept(hour / 10)).toBe("waiting");
});

it("does not send by itself what was written long ago, and does not lose it either", () => {
  expect(kept(hour)).toBe("failed");
  expect(kept(hour, "held")).toBe("held");
  expect(kept(21 * hour)).toBeUndefined();
});
