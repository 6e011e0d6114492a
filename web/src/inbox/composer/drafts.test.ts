import { expect, it, vi } from "vitest";
import { placeAt } from "../data/order";
import { DraftKeeper, givenBack, heardOf, lastWritten, laterDraft, nothing, readDrafts, writeDraft } from "./drafts";

function shelf(): Storage {
  const kept = new Map<string, string>();
  return {
    getItem: (k: string) => kept.get(k) ?? null,
    setItem: (k: string, v: string) => void kept.set(k, v),
    removeItem: (k: string) => void kept.delete(k),
  } as Storage;
}

it("keeps an answer and a note per person and conversation", () => {
  const store = shelf();
  const [reply, note] = [{ body: "Hi", at: 5 }, { body: "Ask Uma", at: 6 }];
  writeDraft(store, "usr_a", "cnv_1", "reply", reply);
  writeDraft(store, "usr_a", "cnv_1", "note", note);
  expect(readDrafts(store, "usr_a", "cnv_1")).toEqual({ reply, note });
  expect(readDrafts(store, "usr_b", "cnv_1")).toEqual({ reply: nothing, note: nothing });
  expect(readDrafts(store, "usr_a", "cnv_2")).toEqual({ reply: nothing, note: nothing });
});

it("remembers that a draft was emptied until the server has heard of it, and leaves the other", () => {
  const store = shelf();
  const keeper = new DraftKeeper(store, 200);
  writeDraft(store, "u", "c", "reply", { body: "Hi", at: 1 });
  writeDraft(store, "u", "c", "note", { body: "Ask", at: 1 });
  writeDraft(store, "u", "c", "reply", { body: "  ", seen: "9", at: 2 });
  expect(readDrafts(store, "u", "c")).toEqual({ reply: { body: "", at: 2 }, note: { body: "Ask", at: 1 } });
  keeper.forget("u", "c", "reply");
  keeper.forget("u", "c", "note");
  expect(readDrafts(store, "u", "c")).toEqual({ reply: nothing, note: { body: "Ask", at: 1 } });
});

it("stands a store that is full or broken", () => {
  const broken = {
    getItem: () => "{",
    removeItem: () => undefined,
    setItem: () => {
      throw new Error("full");
    },
  };
  expect(readDrafts(broken, "u", "c").reply).toBe(nothing);
  expect(() => writeDraft(broken, "u", "c", "reply", { body: "x", at: 1 })).not.toThrow();
});

const [before, then, after] = ["2026-03-01T09:59:59Z", "2026-03-01T10:00:00Z", "2026-03-01T10:00:01Z"] as const;

it("goes on from what the server has, whatever the browser's clock says", () => {
  for (const at of [0, Date.parse(then), Date.parse("2030-01-01T00:00:00Z")]) {
    const changed = { body: "here", at, saved: then };
    expect(laterDraft(changed, { body: "there", updated_at: then })).toBe(changed);
    const emptied = { body: "", at, saved: then };
    expect(laterDraft(emptied, { body: "what was sent", updated_at: then })).toBe(emptied);
    const kept = { ...changed, clean: true };
    expect(laterDraft(kept, { body: "there", updated_at: after })).toMatchObject({ body: "there", saved: after, clean: true });
    expect(laterDraft(kept, { body: "", updated_at: null })).toBe(nothing);
    expect(laterDraft(changed, { body: "", updated_at: null })).toBe(changed);
  }
});

it("takes the later of two that were both changed", () => {
  const here = { body: "here", at: Date.parse(then) };
  expect(laterDraft(here, { body: "there", updated_at: after }).body).toBe("there");
  expect(laterDraft(here, { body: "there", updated_at: before }).body).toBe("here");
  expect(laterDraft(here, { body: "here", updated_at: after })).toEqual({ ...here, saved: after, clean: true });
  expect(laterDraft(nothing, { body: "", updated_at: null })).toBe(nothing);
  const sent = { body: "", at: here.at };
  expect(laterDraft(sent, { body: "what was sent", updated_at: before })).toBe(sent);
  expect(laterDraft(sent, { body: "there", updated_at: after }).body).toBe("there");
});

it("knows what the server has heard", () => {
  const here = { body: "Hi Uma", at: 5, clean: false };
  expect(heardOf(here, { body: "Hi", updated_at: then })).toEqual({ body: "Hi Uma", at: 5, saved: then, clean: false });
  expect(heardOf(here, { body: "Hi Uma", updated_at: then })).toEqual({ body: "Hi Uma", at: 5, saved: then, clean: true });
});

it("takes what came after a draft of another browser was written for unseen", () => {
  const at = Date.parse("2026-03-01T10:00:00Z");
  expect(laterDraft(nothing, { body: "there", updated_at: "2026-03-01T10:00:00Z" }).seen).toBe(placeAt(at));
});

it("puts what comes back before what has been begun since", () => {
  expect(givenBack({ body: " ", at: 1 }, "first", "9", 2)).toEqual({ body: "first", seen: "9", at: 2 });
  expect(givenBack({ body: "second", seen: "8", at: 1 }, "first", "9", 2)).toEqual({ body: "first\n\nsecond", seen: "8", at: 2, clean: false });
});

it("shows the one that was written last", () => {
  const [early, late] = [{ body: "x", at: 1 }, { body: "y", at: 2 }];
  expect(lastWritten({ reply: nothing, note: nothing })).toBe("reply");
  expect(lastWritten({ reply: nothing, note: early })).toBe("note");
  expect(lastWritten({ reply: late, note: early })).toBe("reply");
  expect(lastWritten({ reply: early, note: late })).toBe("note");
});

it("writes a moment after the last key, and at once when the page is left or read", () => {
  vi.useFakeTimers();
  const store = shelf();
  const keeper = new DraftKeeper(store, 200);
  const kept = () => readDrafts(store, "u", "c").reply.body;
  keeper.write("u", "c", "reply", { body: "H", at: 1 });
  keeper.write("u", "c", "reply", { body: "Hi", at: 2 });
  expect(kept()).toBe("");
  vi.advanceTimersByTime(200);
  expect(kept()).toBe("Hi");
  keeper.write("u", "c", "reply", { body: "Hi there", at: 3 });
  window.dispatchEvent(new Event("pagehide"));
  expect(kept()).toBe("Hi there");
  keeper.write("u", "c", "reply", { body: "Hi there, Uma", at: 4 });
  expect(keeper.read("u", "c").reply.body).toBe("Hi there, Uma");
  vi.useRealTimers();
});

it("follows what another tab does to the drafts of the conversation", () => {
  vi.useFakeTimers();
  const store = shelf();
  const keeper = new DraftKeeper(store, 200);
  const heard: unknown[] = [];
  const end = keeper.follow("u", "c", (kind, draft) => heard.push([kind, draft]));
  const other = (key: string, newValue: string | null, oldValue: string | null = null) =>
    window.dispatchEvent(new StorageEvent("storage", { key, newValue, oldValue }));
  keeper.write("u", "c", "reply", { body: "Hi", at: 1 });
  other("parley-draft u c", null);
  vi.advanceTimersByTime(200);
  expect(readDrafts(store, "u", "c").reply).toBe(nothing);
  other("parley-draft u c note", JSON.stringify({ body: "Ask Uma", at: 2 }));
  other("parley-draft u c", null, JSON.stringify({ body: "", at: 2 })); // the server has heard of it: nothing is new
  other("parley-draft u another", JSON.stringify({ body: "Elsewhere", at: 3 }));
  end();
  other("parley-draft u c", JSON.stringify({ body: "Later", at: 4 }));
  expect(heard).toEqual([["reply", nothing], ["note", { body: "Ask Uma", at: 2 }]]);
  vi.useRealTimers();
});
