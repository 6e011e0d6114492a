import { expect, it } from "vitest";
import { interactiveOf, isWhole, type InteractiveDraft } from "./interactive";

const choice = (title: string, description = "") => ({ title, description });
const draft = (more: Partial<InteractiveDraft>): InteractiveDraft => ({
  kind: "buttons",
  body: "Which?",
  button: "Choose",
  choices: [],
  ...more,
});

it("makes buttons, without those left empty", () => {
  expect(interactiveOf(draft({ choices: [choice(" Yes "), choice(""), choice("No")] }))).toEqual({
    type: "button",
    body: { text: "Which?" },
    action: {
      buttons: [
        { type: "reply", reply: { id: "choice_1", title: "Yes" } },
        { type: "reply", reply: { id: "choice_2", title: "No" } },
      ],
    },
  });
});

it("makes a list with what describes its rows", () => {
  expect(interactiveOf(draft({ kind: "list", choices: [choice("S", "small"), choice("M")] }))).toMatchObject({
    type: "list",
    action: {
      button: "Choose",
      sections: [
        {
          rows: [
            { id: "choice_1", title: "S", description: "small" },
            { id: "choice_2", title: "M" },
          ],
        },
      ],
    },
  });
});

it("is whole with a text and titles that differ", () => {
  expect(isWhole(draft({ choices: [choice("a")] }))).toBe(true);
  expect(isWhole(draft({ choices: [choice("a"), choice("a ")] }))).toBe(false);
  expect(isWhole(draft({ choices: [] }))).toBe(false);
  expect(isWhole(draft({ kind: "list", button: " ", choices: [choice("a")] }))).toBe(false);
  expect(isWhole(draft({ body: " ", choices: [choice("a")] }))).toBe(false);
});

it("is not whole with a text that is too long, which was a draft before, or a title that was one of a list", () => {
  const long = "😀".repeat(1024);
  const choices = [choice("Yes")];
  expect(isWhole(draft({ body: long, choices }))).toBe(true);
  expect(isWhole(draft({ body: `${long}!`, choices }))).toBe(false);
  expect(isWhole(draft({ kind: "list", body: `${long}!`, choices }))).toBe(true);
  expect(isWhole(draft({ choices: [choice("A title of 24 characters")] }))).toBe(false);
});
