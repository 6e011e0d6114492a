import { expect, test } from "vitest";
import { inboxSearchOf } from "./address";

test("what looks like a number stays a text", () => {
  expect(inboxSearchOf({ number: 100200300400500, q: 2207, unread: true, status: "any" })).toEqual({
    number: "100200300400500",
    q: "2207",
    unread: true,
    status: "any",
  });
});
