import { act, renderHook } from "@testing-library/react";
import { expect, it } from "vitest";
import { useEdited } from "./useEdited";

it("keeps what somebody edits, and lets the rest follow what is stored", () => {
  const { result, rerender } = renderHook(useEdited<{ name: string; email: string }>, { initialProps: { name: "Ana", email: "" } });
  act(() => result.current.edit({ name: "Ana W." }));
  rerender({ name: "Ana", email: "ana@example.com" });
  expect(result.current.now).toEqual({ name: "Ana W.", email: "ana@example.com" });
});

it("forgets what was saved, and keeps what was typed meanwhile", () => {
  const { result, rerender } = renderHook(useEdited<{ name: string; email: string }>, { initialProps: { name: "Ana", email: "" } });
  act(() => result.current.edit({ name: "Ana W.", email: "a" }));
  const sent = result.current.now;
  act(() => result.current.edit({ email: "ana@" }));
  act(() => result.current.saved(sent));
  rerender({ name: "Dr Ana W.", email: "a" });
  expect(result.current.now).toEqual({ name: "Dr Ana W.", email: "ana@" });
});
