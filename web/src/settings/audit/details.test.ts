import { expect, test } from "vitest";
import { audit as t } from "../../i18n/en/audit";
import { detailsOf } from "./details";

test("details are in words and in one order, however they come", () => {
  const said = [{ name: "consent", value: "opted out" }, { name: "before", value: "unknown" }];
  expect(detailsOf({ before: "unknown", consent: "opted_out" }, t)).toEqual(said);
  expect(detailsOf({ consent: "opted_out", before: "unknown" }, t)).toEqual(said);
  expect(detailsOf({ changed: "opening_hours, new_field", role: "agent → admin" }, t)).toEqual([
    { name: "role", value: "agent → admin" },
    { name: "changed", value: "opening hours, new_field" },
  ]);
});

test("what people wrote stays as it is", () => {
  expect(detailsOf({ name: "true → agent" }, t)).toEqual([{ name: "name", value: "true → agent" }]);
});
