import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ThreadRef } from "../../api/types";
import { TimelineRow } from "./TimelineRow";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

it("calls a day today until midnight, also where nothing else is drawn again", () => {
  const evening = new Date(2026, 10, 15, 23, 59);
  vi.setSystemTime(evening);
  render(<TimelineRow row={{ key: "day", kind: "day", at: evening.toISOString() }} conversation={{} as ThreadRef} />);
  expect(screen.queryByText("Today")).not.toBeNull();
  act(() => void vi.advanceTimersByTime(120_000));
  expect(screen.queryByText("Yesterday")).not.toBeNull();
});
