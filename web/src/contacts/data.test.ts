import { expect, test } from "vitest";
import { bodyOf, filterOf } from "./data";

test("a filter says the same all through an hour", () => {
  const at = Date.parse("2026-03-01T10:20:00Z");
  expect(filterOf({ seen: "7d" }, at)).toEqual(filterOf({ seen: "7d" }, at + 60_000));
  expect(filterOf({ seen: "7d" }, at).seen_after).toBe("2026-02-22T10:00:00.000Z");
  expect(filterOf({ seen: "never", q: "  " }, at)).toMatchObject({ never_seen: true, search: undefined });
});

test("a change of all that match names labels one by one, and says nothing of what is not filtered", () => {
  expect(bodyOf({ labels: "lbl_a,lbl_b", all: true, sort: "name" })).toEqual({ label_ids: ["lbl_a", "lbl_b"], all_labels: true });
  expect(bodyOf({})).toEqual({});
});
