import { expect, it } from "vitest";
import { bytesText, choices } from "./data";

it("offers no more than the plan keeps, and what is chosen", () => {
  expect(choices({ plan_days: 180, chosen_days: null, days: 180 })).toEqual([7, 30, 90]);
  expect(choices({ plan_days: null, chosen_days: 45, days: 45 })).toEqual([7, 30, 45, 90, 180, 365, 730]);
  expect(choices({ plan_days: 30, chosen_days: 90, days: 30 })).toEqual([7]);
});

it("says how much room files take", () => {
  expect(bytesText(0, "en")).toMatch(/^0 byte/u);
  expect(bytesText(999, "en")).toMatch(/^999 byte/u);
  expect(bytesText(1_234_567, "en")).toBe("1.2 MB");
  expect(bytesText(45_000_000_000, "en")).toBe("45 GB");
  expect(bytesText(7e15, "en")).toBe("7,000 TB");
});
