import { expect, it } from "vitest";
import { phoneIn } from "./phone";

it.each([
  ["+62 812-3456 (7890)", "+6281234567890"],
  ["0062 81234567890", "+6281234567890"],
  ["0812 3456 7890", null],
  ["+62", null],
  ["+62 812 call me", null],
  ["", null],
])("%s is %s", (text, want) => {
  expect(phoneIn(text)).toBe(want);
});
