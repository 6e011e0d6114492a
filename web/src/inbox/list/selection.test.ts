import { beforeEach, expect, it } from "vitest";
import { act, renderHook } from "@testing-library/react";
import { clearSelection, selectAll, toggle, useSelection } from "./selection";

const order = ["a", "b", "c", "d"];
const chosen = () => [...renderHook(() => useSelection()).result.current.selected].sort().join("");

beforeEach(() => act(() => clearSelection()));

it("chooses rows and lets them go", () => {
  toggle("a", order, false);
  toggle("c", order, false);
  expect(chosen()).toBe("ac");
  toggle("a", order, false);
  expect(chosen()).toBe("c");
});

it("takes the rows between with shift, in both directions", () => {
  toggle("c", order, false);
  toggle("a", order, true);
  expect(chosen()).toBe("abc");
  toggle("d", order, true);
  expect(chosen()).toBe("abcd");
});

it("is no longer everything when a row was let go", () => {
  selectAll(order);
  toggle("b", order, false);
  const { result } = renderHook(() => useSelection());
  expect(result.current.all).toBe(false);
  expect(chosen()).toBe("acd");
});
