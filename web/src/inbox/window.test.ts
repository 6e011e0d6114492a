import { expect, it } from "vitest";
import { windowState } from "./window";

const now = Date.parse("2026-03-01T12:00:00Z");

it.each([
  ["2026-03-02T11:59:30Z", "open", 23, 59],
  ["2026-03-01T14:00:00Z", "open", 2, 0],
  ["2026-03-01T13:59:59Z", "soon", 1, 59],
  ["2026-03-01T12:00:20Z", "soon", 0, 1],
  ["2026-03-01T12:00:00Z", "closed", 0, 0],
  [null, "closed", 0, 0],
  ["nonsense", "closed", 0, 0],
])("%s is %s", (expires, kind, hours, minutes) => {
  expect(windowState(expires, now)).toEqual({ kind, hours, minutes });
});
