import { expect, it } from "vitest";
import type { Conversation } from "../../api/types";
import { isNews } from "./decide";

const now = Date.parse("2026-03-01T12:00:00Z");
const last = { id: "msg_1", direction: "inbound", created_at: "2026-03-01T11:59:50Z" };
const made = (more: object = {}) =>
  ({ id: "cnv_1", unread_count: 1, assignee: null, last_message: last, ...more }) as Conversation;
const at = { me: "usr_me", about: "unassigned", focused: null, now, told: new Set<string>() } as const;

it("tells of what is mine or nobody's", () => {
  expect(isNews(made(), at)).toBe(true);
  expect(isNews(made({ assignee: { id: "usr_me", name: "" } }), at)).toBe(true);
  expect(isNews(made({ assignee: { id: "usr_b", name: "" } }), at)).toBe(false);
});

it("goes by the wish", () => {
  expect(isNews(made(), { ...at, about: "mine" })).toBe(false);
  expect(isNews(made({ assignee: { id: "usr_b", name: "" } }), { ...at, about: "all" })).toBe(true);
});

it("is silent for the thread in front, for old news, for own messages, and the second time", () => {
  expect(isNews(made(), { ...at, focused: "cnv_1" })).toBe(false);
  expect(isNews(made(), { ...at, now: now + 120_000 })).toBe(false);
  expect(isNews(made({ last_message: { ...last, direction: "outbound" } }), at)).toBe(false);
  expect(isNews(made(), { ...at, told: new Set(["msg_1"]) })).toBe(false);
  expect(isNews(made({ unread_count: 0 }), at)).toBe(false);
});
