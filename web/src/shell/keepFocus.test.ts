import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { keepFocus } from "./keepFocus";

let stop: () => void;

beforeEach(() => {
  document.body.innerHTML = `<div id="content"><h1 tabindex="-1" id="title">Page</h1>
    <section id="life"><button id="suspend">Suspend</button></section>
    <ul>${["a", "b", "c"].map((id) => `<li id="${id}"><button>Edit</button><button id="${id}-delete">Delete</button></li>`).join("")}</ul>
    <p><button id="alone">Alone</button></p></div>`;
  stop = keepFocus();
});
afterEach(() => stop());

const by = (id: string) => document.getElementById(id) as HTMLElement;
const at = () => document.activeElement?.id;
const dialog = (id: string) => {
  document.body.insertAdjacentHTML("beforeend", `<div role="dialog" aria-modal="true" id="${id}"><button id="${id}-yes">Yes</button></div>`);
  by(`${id}-yes`).focus();
};

test("a deleted row hands the focus on to the same control of the next, the last one to the one before", async () => {
  by("b-delete").focus();
  by("b").remove();
  await vi.waitFor(() => expect(at()).toBe("c-delete"));
  by("c").remove();
  await vi.waitFor(() => expect(at()).toBe("a-delete"));
});

test("a button that makes place for another one gives it the focus", async () => {
  by("suspend").focus();
  by("life").innerHTML = `<button id="activate">Activate</button>`;
  await vi.waitFor(() => expect(at()).toBe("activate"));
});

test("dialogs that follow upon each other give the focus back to where the first one came from", async () => {
  by("b-delete").focus();
  dialog("one");
  by("one").remove();
  dialog("two");
  by("two").remove();
  await vi.waitFor(() => expect(at()).toBe("b-delete"));
});

test("a dialog whose row is gone by then leaves the focus to the next row", async () => {
  by("a-delete").focus();
  dialog("one");
  by("a").remove();
  by("one").remove();
  await vi.waitFor(() => expect(at()).toBe("b-delete"));
});

test("a button that was busy has the focus again, and one that is gone after that leaves it to another", async () => {
  const button = by("suspend") as HTMLButtonElement;
  const busy = () => {
    button.blur(); // as browsers do when it is disabled
    button.disabled = true;
  };
  button.focus();
  busy();
  await new Promise((turn) => setTimeout(turn)); // the answer comes later
  button.disabled = false;
  await vi.waitFor(() => expect(at()).toBe("suspend"));
  busy();
  await new Promise((turn) => setTimeout(turn));
  by("life").innerHTML = `<button id="activate">Activate</button>`;
  await vi.waitFor(() => expect(at()).toBe("activate"));
});

test("what leaves nothing behind leaves the focus to the page's name", async () => {
  by("alone").focus();
  by("alone").remove();
  await vi.waitFor(() => expect(at()).toBe("title"));
});

test("nothing is given to whoever had left, or has gone elsewhere", async () => {
  vi.useFakeTimers();
  const past = () => vi.advanceTimersByTimeAsync(80);
  by("b-delete").focus();
  by("b-delete").blur();
  await past();
  by("b").remove();
  await past();
  expect(document.activeElement).toBe(document.body);
  by("a-delete").focus();
  by("a").remove();
  by("alone").focus();
  await past();
  expect(at()).toBe("alone");
  vi.useRealTimers();
});

test("who left a field has not entered it again when a menu that was opened after that is closed", async () => {
  vi.useFakeTimers();
  const past = () => vi.advanceTimersByTimeAsync(80);
  by("alone").focus();
  by("alone").blur();
  await past();
  dialog("menu");
  by("menu").remove();
  await past();
  expect(document.activeElement).toBe(document.body);
  vi.useRealTimers();
});
