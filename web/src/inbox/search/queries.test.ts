import { expect, it } from "vitest";
import { beginOf } from "./queries";

const noon = new Date(2026, 2, 1, 12, 30);

it.each([
  ["today", new Date(2026, 2, 1)],
  ["week", new Date(2026, 1, 23)],
  ["month", new Date(2026, 0, 31)],
  ["year", new Date(2025, 2, 2)],
] as const)("%s begins at the reader's midnight", (since, begin) => {
  expect(beginOf(since, noon)).toEqual(begin);
});
