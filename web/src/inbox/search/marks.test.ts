import { expect, it } from "vitest";
import { cut } from "./marks";

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
