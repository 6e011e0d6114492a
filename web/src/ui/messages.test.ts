import { afterAll, expect, it } from "vitest";
import { ApiError } from "../api/client";
import { setLanguage } from "../i18n";
import { messageOf } from "./messages";

const said = (message: string, code = "invalid_field_value") => messageOf(new ApiError(400, code, message));

afterAll(() => setLanguage("en"));

it("says what to do, not what the rule is", () => {
  expect(said("Must be at least 1 characters long.")).toBe("This field is required.");
  expect(said("Must be at least 8 characters long.")).toBe("Use at least 8 characters.");
  expect(said("Must be 8 to 200 characters long.")).toBe("Use between 8 and 200 characters.");
  expect(said("Must be a valid email.")).toMatch(/not an e-mail address/u);
  expect(said("Must be at most 5.")).toBe("It must be 5 or less.");
  expect(said("This field is required.", "missing_required_field")).toBe("This field is required.");
  expect(said("x", "forbidden")).toMatch(/not allowed/u);
});

it("leaves what only the server knows", () => {
  expect(said("The Free plan's 100 messages of this month are used up.", "quota_exceeded")).toMatch(/Free plan/u);
  expect(messageOf(new Error("broken"))).toBe("broken");
});

it("says it in the reader's language", async () => {
  await setLanguage("id");
  expect(said("Must be at least 1 characters long.")).toBe("Isi bagian ini.");
});
