import { expect, it } from "vitest";
import { size } from "./data";

it("says sizes in the unit that fits", () => {
  expect([0, 999, 1000, 12_345_678, 5e12].map((bytes) => size(bytes, "en"))).toEqual(["0 byte", "999 byte", "1 kB", "12.3 MB", "5 TB"]);
});
