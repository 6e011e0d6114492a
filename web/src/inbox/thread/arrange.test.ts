import { expect, it } from "vitest";
import type { Message, TimelineItem } from "../../api/types";
import { arrange, keepRows, oldestUnread, type Row } from "./arrange";

const at = (time: string) => `2026-03-01T${time}:00Z`;
const dayOf = (instant: string) => instant.slice(0, 10);

function message(id: string, created_at: string, more: Partial<Message> = {}): TimelineItem {
  const made = { id, direction: "inbound", type: "text", sent_by: null, ...more } as Message;
  return { id, created_at, kind: "message", message: made };
}

const happening = (id: string, created_at: string, what: "resolved" | "assigned"): TimelineItem => ({
  id,
  created_at,
  kind: "happening",
  happening: { what, by: null, to: null, label: null, until: null },
});

const short = (rows: Row[]) =>
  rows
    .map((r) =>
      r.kind === "message"
        ? `${r.key}${r.first ? "[" : ""}${r.last ? "]" : ""}`
        : r.kind === "happening" && r.divides
          ? "divider"
          : r.kind,
    )
    .join(" ");

const drawn = (...newestLast: TimelineItem[]) => short(arrange(newestLast.toReversed(), { dayOf }));

it("groups what one side wrote within three minutes", () => {
  expect(drawn(message("a", at("10:00")), message("b", at("10:03")), message("c", at("10:07")))).toBe("day a[ b] c[]");
});

it("parts the sides, and colleagues", () => {
  const ana = { direction: "outbound", sent_by: { id: "usr_a", name: "Ana" } } as const;
  const budi = { direction: "outbound", sent_by: { id: "usr_b", name: "Budi" } } as const;
  expect(
    drawn(
      message("a", at("10:00")),
      message("b", at("10:00"), ana),
      message("c", at("10:00"), ana),
      message("d", at("10:01"), budi),
    ),
  ).toBe("day a[] b[ c] d[]");
});

it("ends a group after a failure, whose words stand below it", () => {
  const failed = { error: { code: "undeliverable", message: "", provider_code: null } };
  expect(drawn(message("a", at("10:00"), failed), message("b", at("10:00")))).toBe("day a[] b[]");
});

it("draws a line at each day", () => {
  expect(drawn(message("a", at("23:59")), message("b", "2026-03-02T00:00:00Z"))).toBe("day a[] day b[]");
});

it("draws lines where the conversation ended, and none where it was assigned", () => {
  expect(
    drawn(
      message("a", at("10:00")),
      happening("x", at("10:00"), "assigned"),
      happening("y", at("10:00"), "resolved"),
      message("b", at("10:01")),
    ),
  ).toBe("day a[] happening divider b[]");
});

it("marks what is new", () => {
  const items = [message("c", at("10:02")), message("b", at("10:01")), message("a", at("10:00"))];
  expect(short(arrange(items, { dayOf, firstUnread: oldestUnread(items, 2) }))).toBe("day a[] new b[ c]");
});

it("takes the oldest there is where more is unread than was loaded", () => {
  expect(oldestUnread([message("a", at("10:00"))], 40)).toBe("a");
  expect(oldestUnread([message("a", at("10:00"))], 0)).toBeUndefined();
});

it("keeps the rows that say the same as before", () => {
  const [a, b] = [message("a", at("10:00")), message("b", at("10:01"))];
  const before = arrange([a], { dayOf });
  expect(keepRows(before, arrange([a], { dayOf }))).toBe(before);
  const after = keepRows(before, arrange([b, a], { dayOf }));
  expect(short(after)).toBe("day a[ b]");
  expect(after[0]).toBe(before[0]);
  expect(after[1]).not.toBe(before[1]); // it is no longer the last of its group
  const changed = keepRows(after, arrange([b, message("a", at("10:00"), { is_revoked: true })], { dayOf }));
  expect(changed[1]).not.toBe(after[1]);
  expect(changed[2]).toBe(after[2]);
});
