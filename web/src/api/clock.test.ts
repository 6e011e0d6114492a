import { afterEach, expect, test } from "vitest";
import { hearClock, serverNow } from "./clock";

const noon = Date.UTC(2026, 4, 1, 12);
const date = (at: number) => new Date(at).toUTCString();

afterEach(() => hearClock(date(Date.now())));

test.each([
  ["a day ahead", 86_400_000],
  ["an hour behind", -3_600_000],
])("a clock that is %s", (_name, wrong) => {
  hearClock(date(noon), noon + wrong);
  expect(Math.abs(serverNow() - (Date.now() - wrong))).toBeLessThan(2_000);
});

test("a few seconds are no wrong clock, and an answer without a date says nothing", () => {
  hearClock(date(noon), noon + 9_000);
  expect(Math.abs(serverNow() - Date.now())).toBeLessThan(2);
  hearClock(date(noon), noon + 86_400_000);
  hearClock(null);
  expect(serverNow()).toBeLessThan(Date.now() - 80_000_000);
});
