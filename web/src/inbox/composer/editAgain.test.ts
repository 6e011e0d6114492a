import { expect, it } from "vitest";
import type { Outgoing } from "../data/outbox";
import { writingOf } from "./editAgain";

const png = new File(["x"], "a.png", { type: "image/png" });
const entry = (type: string, content: object, more: Partial<Outgoing> = {}) =>
  ({ body: { messaging_product: "chat", type, [type]: content }, ...more }) as Outgoing;

it("gives the composer back what was written in it", () => {
  expect(writingOf(entry("text", { body: "Hi" }))).toEqual({ body: "Hi", files: [] });
  expect(writingOf(entry("image", { caption: "Look" }, { file: png }))).toEqual({ body: "Look", files: [png] });
  const media = { mime_type: "image/png", filename: "a.png", size: 1, sha256: null };
  expect(writingOf(entry("image", { id: "med_1" }, { path: "/a", shown: { media } }))).toEqual({
    body: "",
    files: [{ id: "med_1", name: "a.png", type: "image/png", size: 1, path: "/a" }],
  });
});

it("leaves alone what the composer cannot have", () => {
  expect(writingOf(entry("template", { name: "promo" }))).toBeNull();
  expect(writingOf(entry("audio", { voice: true }, { file: png }))).toBeNull();
  expect(writingOf(entry("image", { id: "med_1" }))).toBeNull();
});
