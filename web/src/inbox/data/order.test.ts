import { expect, it } from "vitest";
import { placeAt, placeOf } from "./order";

it("knows where in time an id stands", () => {
  expect(placeAt(1469918176385)).toBe("01ARYZ6S41"); // the example of the ULID's specification
  expect(placeOf("msg_01ARYZ6S41TSV4RRFFQ69G5FAV")).toBe("01ARYZ6S41TSV4RRFFQ69G5FAV");
});
