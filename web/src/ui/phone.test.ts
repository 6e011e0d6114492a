import { expect, it } from "vitest";
import { phoneIn, phoneOf } from "./phone";

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

it.each([
  ["+6281234567890", "+62 812 3456 7890"],
  ["+12025550100", "+1 202 555 0100"],
  ["+351915550133", "+351 915 550 133"],
  ["+79161234567", "+7 916 123 4567"],
  ["+85255500150", "+852 5550 0150"],
  ["+62 … 90", "+62 … 90"],
  ["12345678 or so", "12345678 or so"],
  [null, null],
])("%s is read out as %s", (number, want) => {
  expect(phoneOf(number)).toBe(want);
});
