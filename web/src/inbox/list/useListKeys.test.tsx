import { act, cleanup, fireEvent, render } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import type { Conversation } from "../../api/types";
import { useCommandKeys } from "../../shell/commands";
import { focusedRow, goToRow } from "./focused";
import { useListKeys } from "./useListKeys";

const place = vi.hoisted(() => ({ conversation: undefined as string | undefined, open: () => undefined }));
vi.mock("../place", () => ({ usePlace: () => place }));

afterEach(() => {
  cleanup();
  place.conversation = undefined;
});

function List({ ids }: { ids: string[] }) {
  useCommandKeys();
  const keys = useListKeys(ids.map((id) => ({ id }) as Conversation), () => undefined, (id) => id !== "resolved");
  const rows = ids.map((id) => <a key={id} href={`#${id}`} data-row={id} onFocus={() => focusedRow.set(id)} onBlur={() => focusedRow.set(undefined)}>{id}</a>);
  return <><div {...keys}>{rows}</div><div role="log" tabIndex={-1} /><button type="button">elsewhere</button></>;
}

const press = (key: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key });
const at = () => (document.activeElement as HTMLElement).dataset.row;

test("a key means the row to which the one before it has gone, before anything else is drawn", () => {
  render(<List ids={["a", "b", "c"]} />);
  press("j");
  expect([focusedRow.get(), at()]).toEqual(["a", "a"]);
  press("j");
  press("j");
  expect([focusedRow.get(), at()]).toEqual(["c", "c"]);
  press("k");
  expect([focusedRow.get(), at()]).toEqual(["b", "b"]);
});

test("a row that goes away hands its focus on, the last one to the one above, the only one to nobody", () => {
  const { rerender } = render(<List ids={["a", "b", "c"]} />);
  press("j");
  press("j");
  rerender(<List ids={["a", "c"]} />);
  expect([focusedRow.get(), at()]).toEqual(["c", "c"]);
  rerender(<List ids={["a"]} />);
  expect([focusedRow.get(), at()]).toEqual(["a", "a"]);
  rerender(<List ids={[]} />);
  expect([focusedRow.get(), document.activeElement]).toEqual([undefined, document.body]);
});

test("the open conversation keeps the keys when its row goes away, and the list goes on where it was", () => {
  place.conversation = "b";
  const { rerender, getByRole } = render(<List ids={["a", "b", "c"]} />);
  press("j");
  expect(at()).toBe("c");
  press("k");
  rerender(<List ids={["a", "c"]} />);
  expect([focusedRow.get(), document.activeElement]).toEqual([undefined, getByRole("log")]);
  press("j");
  expect(at()).toBe("c");
});

test("the open conversation hands its focus on when it is resolved", () => {
  place.conversation = "resolved";
  const { rerender } = render(<List ids={["a", "resolved", "c"]} />);
  press("k");
  press("j");
  rerender(<List ids={["a", "c"]} />);
  expect(at()).toBe("c");
});

test("who leaves the list leaves its row", () => {
  const { unmount } = render(<List ids={["a", "b"]} />);
  press("j");
  unmount();
  expect(focusedRow.get()).toBeUndefined();
});

test("who is elsewhere stays there", () => {
  const { rerender, getByText } = render(<List ids={["a", "b"]} />);
  press("j");
  act(() => getByText("elsewhere").focus());
  rerender(<List ids={["b"]} />);
  expect(document.activeElement).toBe(getByText("elsewhere"));
});

test("in the list the arrow keys do what j and k do, and elsewhere nothing", () => {
  const { getByText } = render(<List ids={["a", "b"]} />);
  press("ArrowDown");
  expect(document.activeElement).toBe(document.body);
  press("j");
  press("ArrowDown");
  expect([focusedRow.get(), at()]).toEqual(["b", "b"]);
  press("ArrowUp");
  expect([focusedRow.get(), at()]).toEqual(["a", "a"]);
  act(() => getByText("elsewhere").focus());
  press("ArrowDown");
  expect(document.activeElement).toBe(getByText("elsewhere"));
});

test("a row that is not on screen is not gone to", () => {
  render(<List ids={["a"]} />);
  goToRow("another");
  expect([focusedRow.get(), document.activeElement]).toEqual([undefined, document.body]);
});
