import { expect, test } from "vitest";
import { templates as english } from "../i18n/en/templates";
import { templates as indonesian } from "../i18n/id/templates";
import type { Change } from "./data";
import { spansOf } from "./HistoryList";

const change = (value: string, previous: string | null, at: string) => ({ id: at, aspect: "quality", value, previous, at }) as Change;

test("a quality lasts until the next", () => {
  const spans = spansOf("2026-01-01T00:00:00Z", [change("RED", "GREEN", "2026-01-03T00:00:00Z"), change("GREEN", null, "2026-01-02T00:00:00Z")], Date.parse("2026-01-04T00:00:00Z"));
  expect(spans.map((s) => s.quality)).toEqual(["UNKNOWN", "GREEN", "RED"]);
  expect(spans.every((s) => s.to - s.from === 86_400_000)).toBe(true);
});

// The reasons that the provider gives, by its own documentation.
const reasons = ["ABUSIVE_CONTENT", "CATEGORY_NOT_AVAILABLE", "INCORRECT_CATEGORY", "INVALID_FORMAT", "PROMOTIONAL", "SCAM", "TAG_CONTENT_MISMATCH"];

test("every reason has words, and what to change, in both languages", () => {
  for (const words of [english, indonesian])
    for (const reason of [...reasons, "OTHER"]) {
      expect(words.reasons[reason]?.what, reason).toBeTruthy();
      expect(words.reasons[reason]?.change, reason).toBeTruthy();
    }
});
