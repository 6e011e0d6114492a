import { renderHook } from "@testing-library/react";
import { expect, it } from "vitest";
import { useKeys } from "./useKeys";

it("has one key for the same, and another for something else", () => {
  const { result, rerender } = renderHook(useKeys);
  const first = result.current({ template: "promo" });
  expect(result.current({ template: "hello" })).not.toBe(first);
  rerender();
  expect(result.current({ template: "promo" })).toBe(first);
});
