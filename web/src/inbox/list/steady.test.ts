import { expect, it } from "vitest";
import { hold } from "./steady";

const held = (shown: string, fresh: string) => {
  const { order, waiting } = hold([...shown], [...fresh]);
  return `${order.join("")} ${waiting}`;
};

it.each([
  ["abc", "abc", "abc 0", "nothing happened"],
  ["abc", "nabc", "abc 1", "a new one waits"],
  ["abc", "cab", "abc 1", "one that moves up waits"],
  ["abc", "cnab", "abc 2", "both"],
  ["abc", "abcde", "abcde 0", "more was fetched below"],
  ["abc", "bc", "abc 0", "one is gone, and stays as long as it is pointed at"],
  ["", "ab", "ab 0", "the first look"],
])("%s, then %s: %s (%s)", (shown, fresh, want) => {
  expect(held(shown, fresh)).toBe(want);
});

it("lets all wait where none is known: they came after those that are shown", () => {
  expect(hold(["a"], ["x", "y"])).toEqual({ order: ["a"], waiting: 2 });
});
