import { expect, it } from "vitest";
import { mentionAt, mentionsIn, splitMentions } from "./mentions";

const people = [
  { id: "1", name: "Ana" },
  { id: "2", name: "Ana Nur" },
  { id: "3", name: "Budi" },
];

it("finds the longest name", () => {
  expect(mentionsIn("@Ana Nur please, and @Budi", people)).toEqual(["2", "3"]);
  expect(mentionsIn("mail ana@Budi", [{ id: "3", name: "Budi" }])).toEqual(["3"]);
  expect(mentionsIn("nobody @here", people)).toEqual([]);
});

it("keeps every character", () => {
  const body = "a @Ana b@@Budi@";
  expect(
    splitMentions(body, ["Ana", "Budi"])
      .map((p) => p.text)
      .join(""),
  ).toBe(body);
});

it("knows when a name is being written", () => {
  expect(mentionAt("hi @Bu", 6)).toEqual({ from: 3, word: "Bu" });
  expect(mentionAt("@", 1)).toEqual({ from: 0, word: "" });
  expect(mentionAt("a@b", 3)).toBeNull();
  expect(mentionAt("@Bu di", 6)).toBeNull();
});
