import { afterEach, expect, test, vi } from "vitest";
import { commands, runByKeys } from "./commands";
import { matching } from "./Palette";

const command = (id: string, keys?: string) => ({ id, title: `Go to ${id}`, group: "g", keys, run: vi.fn() });

function press(target: Element, init: KeyboardEventInit): void {
  target.addEventListener("keydown", (event) => runByKeys(event as KeyboardEvent), { once: true });
  target.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...init }));
}

afterEach(() => {
  commands.set([]);
  document.body.replaceChildren();
});

test("a key runs the command that was offered last", () => {
  const [general, page] = [command("a", "j"), command("b", "j")];
  commands.set([general, page]);
  press(document.body, { key: "j" });
  expect(page.run).toHaveBeenCalledOnce();
  expect(general.run).not.toHaveBeenCalled();
});

test("plain keys are text while one writes, combinations are not", () => {
  const [plain, combined] = [command("a", "k"), command("b", "mod+k")];
  commands.set([plain, combined]);
  const field = document.body.appendChild(document.createElement("textarea"));
  press(field, { key: "k" });
  press(field, { key: "k", ctrlKey: true });
  expect(plain.run).not.toHaveBeenCalled();
  expect(combined.run).toHaveBeenCalledOnce();
});

test("plain keys rest while a dialog is open", () => {
  const plain = command("a", "e");
  commands.set([plain]);
  const dialog = document.body.appendChild(document.createElement("div"));
  dialog.setAttribute("aria-modal", "true");
  press(document.body, { key: "e" });
  expect(plain.run).not.toHaveBeenCalled();
});

test("plain keys are for a menu that is open, also before it has the focus, and for a list or dialog that has it", () => {
  const plain = command("a", "e");
  commands.set([plain]);
  document.body.innerHTML = `<div role="dialog"><button>Yes</button></div><ul role="listbox"><li>Ana</li></ul>`;
  for (const inside of document.body.querySelectorAll("button, li")) press(inside, { key: "e" });
  expect(plain.run).not.toHaveBeenCalled();
  press(document.body, { key: "e" });
  expect(plain.run).toHaveBeenCalledOnce();
  document.body.innerHTML = `<button aria-haspopup="menu" aria-expanded="true">Assign</button><p role="menu"><button>Eva</button></p>`;
  for (const target of [document.body, ...document.body.querySelectorAll("[role=menu] button")]) press(target, { key: "e" });
  expect(plain.run).toHaveBeenCalledOnce();
  document.body.querySelector("button")?.setAttribute("aria-expanded", "false"); // it is closed, and fades
  press(document.body, { key: "e" });
  expect(plain.run).toHaveBeenCalledTimes(2);
});

test("the palette finds by all words", () => {
  const list = [command("inbox"), command("phone")];
  expect(matching(list, "go INB").map((found) => found.id)).toEqual(["inbox"]);
  expect(matching(list, "")).toHaveLength(2);
});
