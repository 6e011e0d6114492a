import { expect, test } from "vitest";
import { pastMidnight, withDay } from "./hours";

const day = (name: string, opens = "09:00", closes = "17:00") => ({ day: name, opens, closes });

test("a day is added in the order of the week, changed and closed", () => {
  const two = withDay([day("friday")], "monday", { opens: "09:00", closes: "17:00" });
  expect(two).toEqual([day("monday"), day("friday")]);
  expect(withDay(two, "monday", { opens: "10:00", closes: "12:00" })).toEqual([day("monday", "10:00", "12:00"), day("friday")]);
  expect(withDay(two, "friday", null)).toEqual([day("monday")]);
});

test("what closes before it opens, or when it opens, ends on the next day", () => {
  expect(pastMidnight(day("friday", "22:00", "02:00"))).toBe(true);
  expect(pastMidnight(day("friday", "00:00", "00:00"))).toBe(true);
  expect(pastMidnight(day("friday"))).toBe(false);
});
