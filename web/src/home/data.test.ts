import { describe, expect, it } from "vitest";
import { growth, share } from "./data";

describe("figures", () => {
  it("has no share of nothing", () => {
    expect(share(0, 0)).toBeUndefined();
    expect(share(2, 3)).toBe(67);
  });
  it("has no growth from nothing", () => {
    expect(growth(5, 0)).toBeUndefined();
    expect(growth(5, 10)).toBe(-50);
  });
});
