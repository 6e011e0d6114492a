import { expect, it } from "vitest";
import { stateOf } from "./change";

it("gives back the state that a conversation had", () => {
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const past = new Date(Date.now() - 3_600_000).toISOString();
  const until = (snoozed_until: string) => stateOf({ status: "pending", snoozed_until });
  expect(stateOf({ status: "resolved", snoozed_until: null })).toEqual({ status: "resolved" });
  expect(until(later)).toEqual({ snoozed_until: later });
  expect(until("9999-12-31T00:00:00Z")).toEqual({ until_reply: true });
  expect(until(past)).toEqual({ snoozed_until: null });
});
