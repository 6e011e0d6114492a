import { beforeEach, expect, it } from "vitest";
import type { Outgoing } from "./outbox";
import { Shelf } from "./shelf";

const entry = (key: string, second = 0, more: Partial<Outgoing> = {}) =>
  ({ key, conversation: "cnv_1", state: "waiting", createdAt: new Date(second * 1000).toISOString(), ...more }) as Outgoing;
const keys = (user = "usr_1") => new Shelf(localStorage, user).read().map((e) => e.key);

beforeEach(() => localStorage.clear());

it("keeps what several tabs have not sent, in its order, until each has sent its own", () => {
  const [one, another] = [new Shelf(localStorage, "usr_1"), new Shelf(localStorage, "usr_1")];
  one.keep([entry("x", 2)]);
  another.keep([entry("y", 1)]);
  new Shelf(localStorage, "usr_2").keep([entry("z")]);
  expect(keys()).toEqual(["y", "x"]);
  another.keep([entry("y", 1, { state: "sent" })]);
  expect(keys()).toEqual(["x"]);
  one.keep([]);
  expect(keys()).toEqual([]);
  expect(keys("usr_2")).toEqual(["z"]);
});

it("forgets what it has read and does not go on with, and does not keep files", () => {
  new Shelf(localStorage, "usr_1").keep([entry("old"), entry("new"), entry("file", 0, { file: new File(["x"], "x.png") })]);
  const after = new Shelf(localStorage, "usr_1");
  expect(after.read().map((e) => e.key).toSorted()).toEqual(["new", "old"]);
  after.keep([entry("new")]);
  expect(keys()).toEqual(["new"]);
});

it("takes over what was kept as one item, once", () => {
  localStorage.setItem("parley-outbox usr_1", JSON.stringify([entry("a", 1), entry("b", 2)]));
  expect(keys()).toEqual(["a", "b"]);
  expect(localStorage.getItem("parley-outbox usr_1")).toBeNull();
  localStorage.removeItem("parley-outbox usr_1 a");
  expect(keys()).toEqual(["b"]);
});

it("stands what is no message", () => {
  localStorage.setItem("parley-outbox usr_1 a", "{");
  new Shelf(localStorage, "usr_1").keep([entry("b")]);
  expect(keys()).toEqual(["b"]);
});

it("tells of what another tab has sent or thrown away", () => {
  const gone: string[] = [];
  const end = new Shelf(localStorage, "usr_1").follow((key) => gone.push(key));
  const other = (key: string, newValue: string | null) => window.dispatchEvent(new StorageEvent("storage", { key, newValue }));
  other("parley-outbox usr_1 a", null);
  other("parley-outbox usr_1 b", "{}");
  other("parley-outbox usr_2 c", null);
  end();
  other("parley-outbox usr_1 d", null);
  expect(gone).toEqual(["a"]);
});
