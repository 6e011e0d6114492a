import { expect, it } from "vitest";
import type { Message, TimelineItem } from "../../api/types";
import { placeAt } from "../data/order";
import { colleagueReplied, unseenReply } from "./collision";

const item = (id: string, by: string | null, direction: "inbound" | "outbound" = "outbound"): TimelineItem => ({
  id,
  kind: "message",
  created_at: "",
  message: { id, direction, sent_by: by && { id: by, name: by }, source: "dashboard" } as Message,
});

const found = (items: TimelineItem[], seen: string | undefined) => unseenReply(items, seen, "me")?.id ?? null;

it("finds a colleague's reply that came while one wrote", () => {
  expect(found([item("3", "budi"), item("2", null, "inbound"), item("1", "me")], "2")).toBe("3");
});

it("finds it also where what was seen is not among the items any more, or where only the time is known", () => {
  const at = Date.parse("2026-03-01T10:00:00Z");
  const reply = item(`msg_${placeAt(at + 1)}0000000000000000`, "budi");
  expect(found([reply], `evt_${placeAt(at)}ZZZZZZZZZZZZZZZZ`)).toBe(reply.id);
  expect(found([reply], placeAt(at))).toBe(reply.id);
  expect(found([reply], placeAt(at + 2))).toBeNull();
});

it("does not mind what was there before, one's own, the person's and programs' messages", () => {
  expect(found([item("3", "me"), item("2", "budi"), item("1", "me")], "2")).toBeNull();
  expect(found([item("3", null), item("2", null, "inbound"), item("1", "me")], "1")).toBeNull();
  expect(found([item("1", "budi")], undefined)).toBeNull();
});

it("does not ask about a late message that is in the thread already", () => {
  const mine = item("2", "me");
  if (mine.kind === "message") mine.message.text = { body: "Hi" };
  const items = [item("3", "budi"), mine, item("1", null, "inbound")];
  const late = (body: string, seen = "1") =>
    colleagueReplied(items, { seen, body: { messaging_product: "chat", type: "text", text: { body } } }, "me");
  expect(late("Hi")).toBeNull();
  expect(late("Hi", "2")?.id).toBe("3");
  expect(late("Ho")?.id).toBe("3");
});
