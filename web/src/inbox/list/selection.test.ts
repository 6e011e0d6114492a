import { beforeEach, expect, it } from "vitest";
import { act, renderHook } from "@testing-library/react";
import { clearSelection, selectAll, setOrder, toggle, useSelection, useSelectionOf } from "./selection";

const order = ["a", "b", "c", "d"];
const chosen = () => [...renderHook(() => useSelection()).result.current.selected].sort().join("");

beforeEach(() => {
  act(() => clearSelection());
  setOrder(order);
});

it("chooses rows and lets them go", () => {
  toggle("a", false);
  toggle("c", false);
  expect(chosen()).toBe("ac");
  toggle("a", false);
  expect(chosen()).toBe("c");
});

it("takes the rows between with shift, in both directions", () => {
  toggle("c", false);
  toggle("a", true);
  expect(chosen()).toBe("abc");
  toggle("d", true);
  expect(chosen()).toBe("abcd");
});

it("is no longer everything when a row was let go", () => {
  toggle("a", false);
  selectAll();
  toggle("b", false);
  const { result } = renderHook(() => useSelection());
  expect(result.current.all).toBe(false);
  expect(chosen()).toBe("acd");
});

it("is let go when another list is shown, and when the page is left", () => {
  const { rerender, unmount } = renderHook(useSelectionOf, { initialProps: "mine" });
  toggle("a", false);
  act(selectAll);
  rerender("mine");
  expect(chosen()).toBe("abcd");
  rerender("snoozed");
  expect(chosen()).toBe("");
  toggle("b", false);
  unmount();
  expect(chosen()).toBe("");
});
