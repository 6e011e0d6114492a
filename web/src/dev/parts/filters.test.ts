import { expect, test } from "vitest";
import { fromOf } from "./filters";

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
