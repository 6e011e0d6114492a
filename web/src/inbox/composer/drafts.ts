import { placeAt } from "../data/order";
import type { Known } from "./draftPost";

/** What was begun and not sent. Local storage has it at once, the server a moment later. */
export interface LocalDraft {
  body: string;
  /** The newest item of the thread when it was begun: what came later may not have been seen. */
  seen?: string;
  /** When it was changed here, in milliseconds of the server's clock. */
  at: number;
  /** When the server changed the draft that this one goes on from, in its own words. */
  saved?: string;
  /** Nothing was changed here since: the server has just this. */
  clean?: boolean;
}

/** A person has two drafts in a conversation: the answer, and the note to colleagues. */
export interface Drafts {
  reply: LocalDraft;
  note: LocalDraft;
}

export type DraftKind = keyof Drafts;

export const nothing: LocalDraft = { body: "", at: 0 };

type Shelf = Pick<Storage, "getItem" | "setItem" | "removeItem">;

const keyOf = (user: string, conversation: string, kind: DraftKind) =>
  `parley-draft ${user} ${conversation}${kind === "note" ? " note" : ""}`;

function readDraft(text: () => string | null): LocalDraft {
  try {
    const found = JSON.parse(text() ?? "null") as LocalDraft | null;
    return typeof found?.body === "string" ? found : nothing;
  } catch {
    return nothing;
  }
}

export function readDrafts(shelf: Shelf, user: string, conversation: string): Drafts {
  const read = (kind: DraftKind) => readDraft(() => shelf.getItem(keyOf(user, conversation, kind)));
  return { reply: read("reply"), note: read("note") };
}

/**
 * Keeps a draft. Of one that was sent or emptied it keeps when, until the server has heard of it: a page that is left
 * before would be offered the server's once more. A full or forbidden store is no reason to stop.
 */
export function writeDraft(shelf: Shelf, user: string, conversation: string, kind: DraftKind, draft: LocalDraft): void {
  try {
    shelf.setItem(keyOf(user, conversation, kind), JSON.stringify(isEmpty(draft) ? { body: "", at: draft.at, saved: draft.saved } : draft));
  } catch {
    // The server has it too.
  }
}

/** Keeps a draft a moment later, and at the latest when the page is left: to write on every key would slow typing. */
export class DraftKeeper {
  private readonly waiting = new Map<string, () => void>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly shelf: Shelf, private readonly moment = 200) {
    for (const leaving of ["pagehide", "visibilitychange"]) addEventListener(leaving, () => this.flush(), true);
  }

  read(user: string, conversation: string): Drafts {
    this.flush();
    return readDrafts(this.shelf, user, conversation);
  }

  write(user: string, conversation: string, kind: DraftKind, draft: LocalDraft): void {
    const key = keyOf(user, conversation, kind);
    this.waiting.set(key, () => writeDraft(this.shelf, user, conversation, kind, draft));
    this.timer ??= setTimeout(() => this.flush(), this.moment);
  }

  /** The server has heard that nothing is left of the draft. */
  forget(user: string, conversation: string, kind: DraftKind): void {
    if (isEmpty(this.read(user, conversation)[kind])) this.shelf.removeItem(keyOf(user, conversation, kind));
  }

  /** Tells of drafts that another tab of this browser has changed, sent or emptied. */
  follow(user: string, conversation: string, changed: (kind: DraftKind, draft: LocalDraft) => void): () => void {
    const heard = (event: StorageEvent) => {
      const kind = (["reply", "note"] as const).find((kind) => event.key === keyOf(user, conversation, kind));
      if (!kind) return;
      const forgotten = event.newValue === null && event.oldValue !== null && isEmpty(readDraft(() => event.oldValue));
      if (forgotten) return;
      this.waiting.delete(keyOf(user, conversation, kind)); // what was written before would come back
      changed(kind, readDraft(() => event.newValue));
    };
    addEventListener("storage", heard);
    return () => removeEventListener("storage", heard);
  }

  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.waiting.forEach((write) => write());
    this.waiting.clear();
  }
}

export const isEmpty = (draft: LocalDraft) => draft.body.trim() === "";

/**
 * Of the draft here and the one on the server, the later. What the server had before goes before what was made of it here,
 * and after it comes what another browser has told the server since: the browsers' clocks do not matter. Only where both
 * were changed, the times do. What its writer had seen in another browser is not known: what came after they last wrote
 * they had not.
 */
export function laterDraft(here: LocalDraft, there: Known): LocalDraft {
  const { body, updated_at: saved } = there;
  const at = Date.parse(saved ?? "");
  if (!body || saved === null || Number.isNaN(at)) return here.clean ? nothing : here;
  if (here.body === body) return { ...here, saved, clean: true };
  if (here.saved === saved || (!here.clean && here.at >= at)) return here;
  return { body, at, seen: placeAt(at), saved, clean: true };
}

/** A draft of which the server has heard: what it has is this, or what this goes on from. */
export function heardOf(here: LocalDraft, { body, updated_at }: Known): LocalDraft {
  return { ...here, saved: updated_at ?? undefined, clean: here.body === body };
}

/** A draft with what could not be sent: before what has been begun since. */
export function givenBack(draft: LocalDraft, body: string, seen: string | undefined, at: number): LocalDraft {
  const { saved } = draft;
  return isEmpty(draft) ? { body, seen, at, saved } : { ...draft, body: `${body}\n\n${draft.body}`, at, clean: false };
}

/** Which of the two is shown at first: the one that was written last. */
export function lastWritten({ reply, note }: Drafts): DraftKind {
  return !isEmpty(note) && (isEmpty(reply) || note.at > reply.at) ? "note" : "reply";
}
