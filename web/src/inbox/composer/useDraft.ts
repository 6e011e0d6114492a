import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { get, send } from "../../api/client";
import { serverNow } from "../../api/clock";
import type { SavedDrafts } from "../../api/types";
import { showChange } from "../data/conversations";
import { DraftPost, type Known } from "./draftPost";
import {
  DraftKeeper, givenBack, heardOf, isEmpty, lastWritten, laterDraft, nothing, type DraftKind, type Drafts, type LocalDraft,
} from "./drafts";

const moment = 1500;

const keeper = new DraftKeeper(localStorage);

const post = new DraftPost({
  put: (conversation, kind, body) => send<Known>("PUT", `/conversations/${conversation}/draft`, { body, note: kind === "note" }),
  pause: (ms) => new Promise((done) => setTimeout(done, ms)),
});

/** The draft that is shown, and what can be done with it. */
export interface DraftState extends LocalDraft {
  note: boolean;
  /** Shows the answer or the note; the other one is kept. */
  show: (note: boolean) => void;
  /** `seen` is the newest item of the thread when it was begun. */
  write: (body: string, seen?: string) => void;
  /** Says that everything up to this item has been seen. */
  see: (item: string | undefined) => void;
  /** What was sent is no draft any more. */
  clear: () => void;
}

type GiveBack = (kind: DraftKind, body: string, seen?: string) => void;

/** The drafts that are on screen, by conversation. */
const shown = new Map<string, GiveBack>();

/** Brings back what could not be sent. Meanwhile something else may have been begun, also in another conversation. */
export function giveBack(me: string, id: string, kind: DraftKind, body: string, seen?: string): void {
  const give = shown.get(id);
  if (give) return give(kind, body, seen);
  const draft = givenBack(keeper.read(me, id)[kind], body, seen, serverNow());
  keeper.write(me, id, kind, draft);
  void post.keep(id, kind, draft.body);
}

/** The drafts of this person for this conversation: here at once, on the server a moment later. */
export function useDraft(me: string, id: string): DraftState {
  const [chosen, choose] = useState<DraftKind>();
  // What another tab does to the drafts must not turn a note into an answer under somebody's hands.
  const stay = useCallback((drafts: Drafts) => choose((kind) => kind ?? lastWritten(drafts)), []);
  const [drafts, change] = useDrafts(me, id, stay);
  const kind = chosen ?? lastWritten(drafts);
  const draft = drafts[kind];
  return {
    ...draft,
    note: kind === "note",
    show: useCallback((note: boolean) => choose(note ? "note" : "reply"), []),
    write: useCallback(
      (body: string, seen?: string) => {
        choose(kind);
        change(kind, { ...draft, body, at: serverNow(), clean: false, ...(draft.body === "" ? { seen } : {}) }, moment);
      },
      [kind, draft, change],
    ),
    see: useCallback((seen: string | undefined) => change(kind, { ...draft, seen }, moment), [kind, draft, change]),
    clear: useCallback(() => {
      choose(kind);
      change(kind, { ...nothing, at: serverNow(), saved: draft.saved }, 0);
    }, [kind, draft.saved, change]),
  };
}

type Change = (kind: DraftKind, next: LocalDraft, wait: number) => void;

/**
 * Both drafts. A change is kept here at once, and by the server after a while without another one. What another tab
 * changes is followed, else this one would offer once more what has been sent there; `beforeOther` gets what was shown.
 */
function useDrafts(me: string, id: string, beforeOther: (drafts: Drafts) => void): [Drafts, Change] {
  const [drafts, setDrafts] = useState(() => keeper.read(me, id));
  const latest = useRef(drafts);
  const timers = useRef<Partial<Record<DraftKind, ReturnType<typeof setTimeout>>>>({});
  const set = useCallback((change: Partial<Drafts>) => {
    latest.current = { ...latest.current, ...change };
    setDrafts(latest.current);
  }, []);
  // What another tab has written meanwhile is not touched.
  const heard = useCallback(
    (kind: DraftKind, known: Known) => {
      const here = latest.current[kind];
      if (keeper.read(me, id)[kind].body !== here.body) return;
      const next = heardOf(here, known);
      set({ [kind]: next });
      keeper.write(me, id, kind, next);
    },
    [me, id, set],
  );
  const keep = useKeep(me, id, heard);

  const touched = useRef(new Set<DraftKind>());
  useEffect(() => {
    const end = new AbortController();
    get<SavedDrafts>(`/conversations/${id}/draft`, { signal: end.signal })
      .then((there) => {
        for (const kind of ["reply", "note"] as const) {
          if (touched.current.has(kind) || post.owes(id, kind)) continue;
          const here = latest.current[kind];
          const later = laterDraft(here, there[kind]);
          set({ [kind]: later });
          // The page was left before the server heard of it.
          if (later.body !== there[kind].body) {
            keep(kind, latest.current);
            continue;
          }
          if (later !== here) keeper.write(me, id, kind, later);
          keeper.forget(me, id, kind);
        }
      })
      .catch(() => undefined);
    return () => end.abort();
  }, [me, id, set, keep, heard]);

  useEffect(
    () =>
      keeper.follow(me, id, (kind, draft) => {
        touched.current.add(kind);
        clearTimeout(timers.current[kind]); // the other tab tells the server
        beforeOther(latest.current);
        set({ [kind]: draft });
      }),
    [me, id, set, beforeOther],
  );

  const change = useCallback(
    (kind: DraftKind, next: LocalDraft, wait: number) => {
      touched.current.add(kind);
      set({ [kind]: next });
      keeper.write(me, id, kind, next);
      clearTimeout(timers.current[kind]);
      timers.current[kind] = setTimeout(() => keep(kind, latest.current), wait);
    },
    [me, id, keep, set],
  );

  useEffect(() => {
    const give: GiveBack = (kind, body, seen) => change(kind, givenBack(latest.current[kind], body, seen, serverNow()), moment);
    shown.set(id, give);
    return () => {
      if (shown.get(id) === give) shown.delete(id);
    };
  }, [id, change]);
  return [drafts, change];
}

/** Tells the server of a draft, and marks the conversation in the list where there is one. */
function useKeep(me: string, id: string, heard: (kind: DraftKind, known: Known) => void) {
  const client = useQueryClient();
  return useCallback(
    (kind: DraftKind, drafts: Drafts) => {
      const any = !isEmpty(drafts.reply) || !isEmpty(drafts.note);
      showChange(client, id, (c) => (c.draft === any ? c : { ...c, draft: any }));
      void post.keep(id, kind, isEmpty(drafts[kind]) ? "" : drafts[kind].body).then(() => {
        if (post.owes(id, kind)) return;
        const known = post.known(id, kind);
        if (known) heard(kind, known);
        keeper.forget(me, id, kind);
      });
    },
    [client, me, id, heard],
  );
}
