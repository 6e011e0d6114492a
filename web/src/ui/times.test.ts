import { expect, test } from "vitest";
import { comingTime, dayName, duration, factTime, longTime, relativeTime, shortTime } from "./times";

const now = new Date(2026, 10, 15, 14, 0);
const at = (...parts: [number, number, number, number, number]) => new Date(...parts).toISOString();

test("a list's time is as short as can be", () => {
  expect(shortTime(at(2026, 10, 15, 9, 5), "en", now)).toBe("09:05");
  expect(shortTime(at(2026, 10, 14, 23, 59), "en", now)).toBe("Yesterday");
  expect(shortTime(at(2026, 10, 11, 9, 5), "en", now)).toBe("Wed");
  expect(shortTime(at(2026, 2, 3, 9, 5), "en", now)).toMatch(/3/);
  expect(shortTime(at(2025, 2, 3, 9, 5), "en", now)).toMatch(/2025/);
});

test("a clock that is ahead does not show tomorrow as a date", () => {
  expect(shortTime(at(2026, 10, 16, 0, 1), "en", now)).toBe("00:01");
});

test("what is to come has a date and a time", () => {
  expect(comingTime(at(2026, 10, 29, 2, 0), "en", now)).toBe("Nov 29, 02:00");
  expect(comingTime(at(2027, 0, 4, 9, 5), "en", now)).toMatch(/2027.*09:05/);
});

test("a fact has its day and its time", () => {
  expect(factTime(at(2026, 10, 15, 9, 5), "en", now)).toBe("Today, 09:05");
  expect(factTime(at(2026, 10, 14, 9, 5), "en", now)).toBe("Yesterday, 09:05");
  expect(factTime(at(2026, 10, 3, 9, 5), "en", now)).toBe("Nov 3, 09:05");
});

test("days have names", () => {
  expect(dayName(at(2026, 10, 15, 9, 5), "en", now)).toBe("Today");
  expect(dayName(at(2026, 10, 13, 9, 5), "en", now)).toMatch(/Friday/);
  expect(dayName(at(2026, 10, 13, 9, 5), "id", now)).toMatch(/Jumat/);
});

test("distances go both ways", () => {
  expect(relativeTime(at(2026, 10, 15, 13, 57), "en", now.getTime())).toBe("3 minutes ago");
  expect(relativeTime(at(2026, 10, 15, 16, 0), "en", now.getTime())).toBe("in 2 hours");
  expect(relativeTime(at(2026, 10, 15, 14, 0), "en", now.getTime())).toBe("just now");
  expect(relativeTime(new Date(now.getTime() + 20_000).toISOString(), "en", now.getTime())).toBe("in a moment");
  expect(relativeTime(at(2026, 10, 22, 13, 59), "en", now.getTime())).toBe("in 7 days");
});

test("names durations with two units at most", () => {
  expect(duration(45, "en")).toBe("45\u00a0sec");
  expect(duration(60 * 12 + 30, "en")).toBe("12\u00a0min");
  expect(duration(3 * 3600 + 20 * 60, "en")).toBe("3\u00a0h 20\u00a0min");
  expect(duration(52 * 3600, "en")).toBe("2\u00a0d 4\u00a0h");
});

test("the whole of a time has 24 hours, as all others", () => {
  expect(longTime(at(2026, 2, 1, 15, 4), "en")).toBe("Sunday, March 1, 2026 at 15:04");
  expect(longTime(at(2026, 2, 1, 0, 4), "en")).toMatch(/00:04$/);
});
