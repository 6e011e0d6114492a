/** What was begun and not sent. Local storage has it at once, the server a moment later. */
export interface LocalDraft {
  body: string;
  note: boolean;
  /** The newest item of the thread when it was begun: what came later may not have been seen. */
  seen?: string;
  /** When it was changed here, in milliseconds. */
  at: number;
}

type Shelf = Pick<Storage, "getItem" | "setItem" | "removeItem">;

const keyOf = (user: string, conversation: string) => `parley-draft ${user} ${conversation}`;

export function readDraft(shelf: Shelf, user: string, conversation: string): LocalDraft | null {
  try {
    const found = JSON.parse(shelf.getItem(keyOf(user, conversation)) ?? "null") as LocalDraft | null;
    return typeof found?.body === "string" ? found : null;
  } catch {
    return null;
  }
}

/** Keeps a draft, or forgets it where nothing is left of it. A full or forbidden store is no reason to stop. */
export function writeDraft(shelf: Shelf, user: string, conversation: string, draft: LocalDraft): void {
  try {
    if (draft.body.trim() === "") shelf.removeItem(keyOf(user, conversation));
    else shelf.setItem(keyOf(user, conversation), JSON.stringify(draft));
  } catch {
    // The server has it too.
  }
}

/** Of the draft here and the one on the server, the later. */
export function laterDraft(
  here: LocalDraft | null,
  there: { body: string; note?: boolean; updated_at?: string } | null,
): LocalDraft | null {
  const at = Date.parse(there?.updated_at ?? "");
  if (!there?.body || Number.isNaN(at)) return here;
  return here !== null && here.at >= at ? here : { body: there.body, note: there.note ?? false, at };
}
