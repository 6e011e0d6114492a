import { expect, test } from "vitest";
import { safeReturn } from "./enter";

test("the address to return to is one of this site", () => {
  expect(safeReturn("/inbox/mine?unread=true")).toBe("/inbox/mine?unread=true");
  for (const bad of ["//evil.example", "/\\evil.example", "https://evil.example", "javascript:alert(1)", "", undefined]) {
    expect(safeReturn(bad)).toBe("/inbox");
  }
});
