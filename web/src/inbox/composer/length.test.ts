import { expect, it } from "vitest";
import { excessOf } from "./length";

it("counts the characters that are too many", () => {
  expect(excessOf("a".repeat(4096), false)).toBe(0);
  expect(excessOf(` ${"a".repeat(4096)}\n`, false)).toBe(0);
  expect(excessOf("😀".repeat(4096), false)).toBe(0);
  expect(excessOf("😀".repeat(4099), false)).toBe(3);
  expect(excessOf("a".repeat(10_001), true)).toBe(1);
});
