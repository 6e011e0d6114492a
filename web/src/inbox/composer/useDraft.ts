import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { get, send } from "../../api/client";
import { useMe } from "../../api/queries";
import type { Draft } from "../../api/types";
import { showChange } from "../data/conversations";
import { laterDraft, readDraft, writeDraft, type LocalDraft } from "./drafts";

const moment = 1500;

export interface DraftState extends LocalDraft {
  /** Text and place of a draft. `seen` is the newest item of the thread when it was begun. */
  set: (change: Partial<Pick<LocalDraft, "body" | "note">>, seen?: string) => void;
  /** Says that everything up to this item has been seen. */
  see: (item: string | undefined) => void;
  /** What was sent is no draft any more. */
  clear: () => void;
}

const nothing: LocalDraft = { body: "", note: false, at: 0 };

/** A draft of this person for this conversation: here at once, on the server a moment later. */
export function useDraft(id: string): DraftState {
  const me = useMe().user.id;
  const client = useQueryClient();
  const [draft, setDraft] = useState<LocalDraft>(() => readDraft(localStorage, me, id) ?? nothing);
  const touched = useRef(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  useEffect(() => {
    const end = new AbortController();
    get<Draft>(`/conversations/${id}/draft`, { signal: end.signal })
      .then((there) => {
        if (!touched.current) setDraft((here) => laterDraft(here.body ? here : null, there) ?? nothing);
      })
      .catch(() => undefined);
    return () => end.abort();
  }, [id]);

  const sync = useCallback(
    (next: LocalDraft) => {
      const empty = next.body.trim() === "";
      showChange(client, id, (c) => (c.draft === !empty ? c : { ...c, draft: !empty }));
      const path = `/conversations/${id}/draft`;
      (empty ? send("DELETE", path) : send("PUT", path, { body: next.body, note: next.note })).catch(() => undefined);
    },
    [client, id],
  );

  const change = useCallback(
    (next: LocalDraft, wait: number) => {
      touched.current = true;
      setDraft(next);
      writeDraft(localStorage, me, id, next);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => sync(next), wait);
    },
    [me, id, sync],
  );

  const set = useCallback(
    (part: Partial<Pick<LocalDraft, "body" | "note">>, seen?: string) => {
      const begun = draft.body === "" ? { seen } : {};
      change({ ...draft, ...part, ...begun, at: Date.now() }, moment);
    },
    [draft, change],
  );
  const see = useCallback((seen: string | undefined) => change({ ...draft, seen }, moment), [draft, change]);
  const clear = useCallback(() => change({ ...nothing, note: draft.note, at: Date.now() }, 0), [change, draft.note]);
  return { ...draft, set, see, clear };
}
