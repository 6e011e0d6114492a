export interface Choice {
  title: string;
  description: string;
}

export interface InteractiveDraft {
  kind: "buttons" | "list";
  body: string;
  /** What opens the list. */
  button: string;
  choices: Choice[];
}

export const mostChoices = { buttons: 3, list: 10 };
export const bodyLength = { buttons: 1024, list: 4096 };
export const titleLength = { buttons: 20, list: 24 };

/** A text may be too long that was written before: for a message without choices, or for a list. */
export const isTooLong = (text: string, most: number) => [...text.trim()].length > most;

const filled = (draft: InteractiveDraft) => draft.choices.filter((c) => c.title.trim());

/** Whether it can be sent: a text, and titles that differ, none of them too long. */
export function isWhole(draft: InteractiveDraft): boolean {
  const titles = filled(draft).map((c) => c.title.trim());
  const distinct = new Set(titles).size === titles.length;
  return (
    draft.body.trim() !== "" &&
    !isTooLong(draft.body, bodyLength[draft.kind]) &&
    !titles.some((title) => isTooLong(title, titleLength[draft.kind])) &&
    titles.length > 0 &&
    distinct &&
    (draft.kind === "buttons" || draft.button.trim() !== "")
  );
}

/** The message's content. */
export function interactiveOf(draft: InteractiveDraft): object {
  const choices = filled(draft).map((c, i) => ({
    id: `choice_${i + 1}`,
    title: c.title.trim(),
    description: c.description.trim(),
  }));
  const body = { text: draft.body.trim() };
  if (draft.kind === "buttons") {
    const buttons = choices.map(({ id, title }) => ({ type: "reply", reply: { id, title } }));
    return { type: "button", body, action: { buttons } };
  }
  const rows = choices.map(({ description, ...row }) => (description ? { ...row, description } : row));
  return { type: "list", body, action: { button: draft.button.trim(), sections: [{ rows }] } };
}
