import { describe, expect, it } from "vitest";
import { arrange } from "./arrange";
import type { PhoneMessage } from "./data";

function message(from: "me" | "business", at: string): PhoneMessage {
  return {
    id: at, from, type: "text", created_at: at, ticks: null, unread: false, header: "", text: "x", footer: "", template: null,
    list: null, contacts: [], buttons: [], reactions: [],
  };
}

describe("arrange", () => {
  it("groups what one side wrote within three minutes", () => {
    const lines = arrange([
      message("me", "2026-11-14T10:00:00"),
      message("me", "2026-11-14T10:02:00"),
      message("me", "2026-11-14T10:05:00"),
      message("business", "2026-11-14T10:05:30"),
      message("business", "2026-11-15T10:05:40"),
    ]);
    expect(lines.map((line) => line.endsGroup)).toEqual([false, true, true, true, true]);
    expect(lines.map((line) => line.newDay)).toEqual([true, false, false, false, true]);
  });

  it("ends a group at midnight", () => {
    const lines = arrange([message("me", "2026-11-14T23:59:30"), message("me", "2026-11-15T00:00:10")]);
    expect(lines.map((line) => [line.newDay, line.endsGroup])).toEqual([[true, true], [true, true]]);
  });
});
