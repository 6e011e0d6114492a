import { expect, it } from "vitest";
import { snoozeTimes, wakingTime } from "./snooze";

const local = (d: Date) =>
  `${d.getDate()}.${d.getMonth() + 1} ${d.getHours()}:${String(d.getMinutes()).padStart(2, "0")}`;
const times = (now: Date) => snoozeTimes(now).map((t) => local(t.at));

it("offers an hour, tomorrow morning and Monday morning", () => {
  expect(times(new Date(2026, 2, 5, 14, 30))).toEqual(["5.3 15:30", "6.3 9:00", "9.3 9:00"]);
});

it("means the next Monday on a Monday, and the day after on a Sunday", () => {
  expect(times(new Date(2026, 2, 9, 8, 0))[2]).toBe("16.3 9:00");
  expect(times(new Date(2026, 2, 8, 8, 0))[2]).toBe("9.3 9:00");
});

it("says when something comes back in few words", () => {
  const now = new Date(2026, 2, 5, 14, 30);
  expect(wakingTime(new Date(2026, 2, 9, 9, 0).toISOString(), "en-GB", now)).toBe("Monday 09:00");
  expect(wakingTime(new Date(2026, 3, 9, 9, 0).toISOString(), "en-GB", now)).toBe("9 Apr 09:00");
});
