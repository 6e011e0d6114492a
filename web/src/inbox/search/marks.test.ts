import { expect, it } from "vitest";
import { cut, readable } from "./marks";

const short = (text: string, marks: [number, number][]) =>
  cut({ text, marks })
    .map((p) => (p.marked ? `[${p.text}]` : p.text))
    .join("");

it("marks what was searched for", () => {
  expect(
    short("where is my order", [
      [0, 5],
      [12, 17],
    ]),
  ).toBe("[where] is my [order]");
  expect(short("plain", [])).toBe("plain");
});

it("keeps the text whole where marks make no sense", () => {
  expect(
    short("abc", [
      [1, 9],
      [0, 2],
      [1, 3],
    ]),
  ).toBe("[ab]c");
});

it("leaves the signs of formatting out, and marks the same words", () => {
  const found = { text: "that is *very good*, _thanks_ `a*b`", marks: [[14, 18], [22, 28]] as [number, number][] };
  const shown = readable(found);
  expect(shown.text).toBe("that is very good, thanks a*b");
  expect(short(shown.text, shown.marks)).toBe("that is very [good], [thanks] a*b");
});

it("leaves a word marked whose sign was marked with it", () => {
  const { text, marks } = readable({ text: "so *good*", marks: [[3, 9]] });
  expect(short(text, marks)).toBe("so [good]");
});
