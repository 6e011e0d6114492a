import { describe, expect, it } from "vitest";
import { limitText, spansOf, type NumberState } from "./data";

const state = (at: string, quality: string | null): NumberState => ({
  at, quality, status: "connected", provider_status: null, messaging_limit: null, restriction: null,
});

describe("spansOf", () => {
  it("joins states that are alike, and lets the last one go on until now", () => {
    const states = [state("2026-01-04T00:00:00Z", "RED"), state("2026-01-03T00:00:00Z", "GREEN"), state("2026-01-02T00:00:00Z", "GREEN")];
    const day = (n: number) => Date.UTC(2026, 0, n);
    expect(spansOf(states, day(10), (s) => s.quality)).toEqual([
      { value: "GREEN", from: day(2), until: day(4) },
      { value: "RED", from: day(4), until: day(10) },
    ]);
  });
  it("has nothing of nothing", () => expect(spansOf([], 0, (s) => s.quality)).toEqual([]));
});

it("says a limit in people", () => {
  const t = { limit: (n: string) => `${n} people`, unlimited: "none", noLimit: "?" };
  const of = (messaging_limit: string | null) => limitText({ messaging_limit }, t, "en");
  expect([of("TIER_250"), of("TIER_10K"), of("TIER_UNLIMITED"), of(null), of("TIER_NOT_SET"), of("NEW")]).toEqual([
    "250 people", "10,000 people", "none", "?", "?", "NEW",
  ]);
});
