import { afterAll, expect, it } from "vitest";
import { ApiError } from "../api/client";
import { setLanguage } from "../i18n";
import { messageOf } from "./messages";

const said = (message: string, code = "invalid_field_value") => messageOf(new ApiError(400, code, message));

afterAll(() => setLanguage("en"));

it("says what to do, not what the rule is", () => {
  expect(said("Must be at least 1 characters long.")).toBe("This field is required.");
  expect(said("Must be at least 8 characters long.")).toBe("Use at least 8 characters.");
  expect(said("Must have at least 1 item.")).toBe("Choose at least one.");
  expect(said("Must have at least 2 items.")).toBe("Choose at least 2.");
  expect(said("Must be 8 to 200 characters long.")).toBe("Use between 8 and 200 characters.");
  expect(said("Must be a valid email.")).toMatch(/not an e-mail address/u);
  expect(said("Must be at most 5.")).toBe("It must be 5 or less.");
  expect(said("This field is required.", "missing_required_field")).toBe("This field is required.");
  expect(said("Must be a number in international form: 7 to 15 digits with or without +", "invalid_phone_number")).toMatch(/country code/u);
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

it("says in the reader's language why a broadcast cannot go on", async () => {
  const refused: [message: string, code: string, english: RegExp, indonesian: RegExp][] = [
    ["The broadcast is sending; this is possible while it is draft or scheduled.", "broadcast_state_conflict", /moved on/u, /sudah berubah/u],
    ["The broadcast is still being stopped: some recipients wait to be skipped.", "broadcast_state_conflict", /being stopped/u, /dihentikan/u],
    ["The provider rates this number RED (quality_red): too many people block or report it.", "broadcast_state_conflict", /RED because/u, /RED karena/u],
    ["The provider has paused the template x (template_paused): too many", "broadcast_state_conflict", /paused the template/u, /menjeda templat/u],
    ["The template x is rejected (template_disabled) and cannot be sent.", "broadcast_state_conflict", /cannot be sent/u, /tidak dapat dikirim/u],
    ["The template x has changed, and the parameters of this broadcast do not fit any more: y", "broadcast_state_conflict", /other values/u, /nilai yang lain/u],
    ["There is nobody to send to. Add recipients or labels.", "invalid_field_value", /nobody to send to/u, /Tidak ada penerima/u],
    ["The number's team has no label lbl_x any more. Choose others.", "invalid_field_value", /was deleted/u, /sudah dihapus/u],
    ["Must be in the future. To send now, start the broadcast.", "invalid_field_value", /still to come/u, /belum lewat/u],
    ["The Free plan's 100 messages of this month are used up.", "quota_exceeded", /Free plan/u, /paket Anda/u],
    ["The service cannot take the request now.", "service_unavailable", /cannot take/u, /tidak dapat menerima/u],
  ];
  for (const [language, at] of [["en", 2], ["id", 3]] as const) {
    await setLanguage(language);
    for (const row of refused) expect(said(row[0], row[1])).toMatch(row[at]);
  }
});
