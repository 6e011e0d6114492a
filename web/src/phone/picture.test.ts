import { describe, expect, it } from "vitest";
import { fitted } from "./picture";

describe("fitted", () => {
  it("keeps the sides' proportion and makes nothing larger", () => {
    expect(fitted(800, 600)).toEqual({ width: 800, height: 600 });
    expect(fitted(3200, 1600)).toEqual({ width: 1600, height: 800 });
    expect(fitted(100, 4000)).toEqual({ width: 40, height: 1600 });
    expect(fitted(1, 10000)).toEqual({ width: 1, height: 1600 });
  });
});
