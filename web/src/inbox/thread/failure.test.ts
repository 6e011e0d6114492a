import { expect, it } from "vitest";
import { failureOf } from "./failure";

const failed = (code: string, provider_code: number | null) => failureOf({ code, message: "", provider_code });

it.each([
  [131026, "unreachable", false],
  [131047, "window", false],
  [470, "window", false],
  [131049, "capped", false],
  [131051, "type", false],
  [131053, "mediaUpload", true],
  [130472, "experiment", false],
  [131056, "pairLimit", true],
  [131048, "spam", false],
  [131031, "locked", false],
  [132000, "templateCount", false],
  [132016, "templateDisabled", false],
  [131000, "passing", true],
])("provider code %d is %s", (code, kind, retry) => {
  expect(failed("upstream_error", code)).toMatchObject({ kind, retry });
});

it("goes by our own code where the provider gave none", () => {
  expect(failed("outside_24h_window", null)).toEqual({ kind: "window", retry: false, template: true });
  expect(failed("consent_required", null).kind).toBe("consent");
});

it("offers another try where nothing is known", () => {
  expect(failed("brand_new", 999)).toEqual({ kind: "unknown", retry: true, template: false });
});
