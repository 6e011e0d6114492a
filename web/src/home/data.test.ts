import { describe, expect, it } from "vitest";
import { duration, growth, share } from "./data";

describe("figures", () => {
  it("has no share of nothing", () => {
    expect(share(0, 0)).toBeUndefined();
    expect(share(2, 3)).toBe(67);
  });
  it("has no growth from nothing", () => {
    expect(growth(5, 0)).toBeUndefined();
    expect(growth(5, 10)).toBe(-50);
  });
  it("names durations with two units at most", () => {
    expect(duration(45, "en")).toBe("45\u00a0sec");
    expect(duration(60 * 12 + 30, "en")).toBe("12\u00a0min");
    expect(duration(3 * 3600 + 20 * 60, "en")).toBe("3\u00a0h 20\u00a0min");
    expect(duration(52 * 3600, "en")).toBe("2\u00a0d 4\u00a0h");
  });
});
