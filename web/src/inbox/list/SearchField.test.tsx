import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { useState } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { InboxSearch } from "../address";
import { SearchField } from "./SearchField";

/** The address, and how often it was gone on from. */
const address = { search: {} as InboxSearch, steps: 0, go: vi.fn<(search: InboxSearch) => void>() };

vi.mock("../place", () => ({
  usePlace: () => ({
    search: address.search,
    show: ({ search, replace }: { search: InboxSearch; replace?: boolean }) => {
      if (!replace) address.steps++;
      address.go(search);
    },
  }),
}));

function Page() {
  const [search, go] = useState<InboxSearch>({});
  Object.assign(address, { search, go });
  return <SearchField />;
}

const field = () => screen.getByRole<HTMLInputElement>("searchbox");
const write = (value: string) => fireEvent.change(field(), { target: { value } });
const wait = (ms: number) => act(() => void vi.advanceTimersByTime(ms));

beforeEach(() => {
  vi.useFakeTimers();
  address.steps = 0;
  render(<Page />);
});

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

it("puts what is written into the address, as one step", () => {
  write("de");
  wait(300);
  write("dewi ");
  wait(300);
  expect(address.search.q).toBe("dewi");
  expect(field().value).toBe("dewi ");
  expect(address.steps).toBe(1);
});

it("lets somebody go back from a search", () => {
  write("dewi");
  wait(300);
  act(() => address.go({}));
  wait(1000);
  expect(address.search.q).toBeUndefined();
  expect(field().value).toBe("");
});

it("keeps what is written while the address changes", () => {
  write("dew");
  wait(250);
  write("dewi");
  act(() => address.go({ ...address.search, unread: true }));
  expect(field().value).toBe("dewi");
  wait(300);
  expect(address.search.q).toBe("dewi");
});
