import { expect, it } from "vitest";
import { laterDraft, readDraft, writeDraft } from "./drafts";

function shelf(): Storage {
  const kept = new Map<string, string>();
  return {
    getItem: (k: string) => kept.get(k) ?? null,
    setItem: (k: string, v: string) => void kept.set(k, v),
    removeItem: (k: string) => void kept.delete(k),
  } as Storage;
}

it("keeps a draft per person and conversation", () => {
  const store = shelf();
  const draft = { body: "Hi", note: false, at: 5 };
  writeDraft(store, "usr_a", "cnv_1", draft);
  expect(readDraft(store, "usr_a", "cnv_1")).toEqual(draft);
  expect(readDraft(store, "usr_b", "cnv_1")).toBeNull();
  expect(readDraft(store, "usr_a", "cnv_2")).toBeNull();
});

it("forgets a draft that was emptied", () => {
  const store = shelf();
  writeDraft(store, "u", "c", { body: "Hi", note: false, at: 1 });
  writeDraft(store, "u", "c", { body: "  ", note: false, at: 2 });
  expect(readDraft(store, "u", "c")).toBeNull();
});

it("stands a store that is full or broken", () => {
  const broken = {
    getItem: () => "{",
    removeItem: () => undefined,
    setItem: () => {
      throw new Error("full");
    },
  };
  expect(readDraft(broken, "u", "c")).toBeNull();
  expect(() => writeDraft(broken, "u", "c", { body: "x", note: false, at: 1 })).not.toThrow();
});

it("takes the later of two", () => {
  const here = { body: "here", note: false, at: Date.parse("2026-03-01T10:00:00Z") };
  expect(laterDraft(here, { body: "there", updated_at: "2026-03-01T10:00:01Z" })?.body).toBe("there");
  expect(laterDraft(here, { body: "there", updated_at: "2026-03-01T09:59:59Z" })?.body).toBe("here");
  expect(laterDraft(null, { body: "" })).toBeNull();
  expect(laterDraft(here, null)).toBe(here);
});
