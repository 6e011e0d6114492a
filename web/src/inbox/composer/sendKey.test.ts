import { expect, it } from "vitest";
import { sends } from "./sendKey";

const enter = { key: "Enter", shiftKey: false, ctrlKey: false, metaKey: false, isComposing: false };

it.each<[Partial<typeof enter>, boolean, boolean, boolean, string]>([
  [{}, false, false, true, "Enter sends"],
  [{ shiftKey: true }, false, false, false, "Shift+Enter is a new line"],
  [{ isComposing: true }, false, false, false, "Enter ends a composition"],
  [{}, true, false, false, "Enter is a new line where one wants that"],
  [{ ctrlKey: true }, true, false, true, "Ctrl+Enter sends always"],
  [{}, false, true, false, "Enter is a new line on a touch screen"],
  [{ key: "a" }, false, false, false, "other keys write"],
])("%j, by mod %s, touch %s: %s (%s)", (press, byMod, touch, want) => {
  expect(sends({ ...enter, ...press }, byMod, touch)).toBe(want);
});
