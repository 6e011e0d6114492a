import { useCallback } from "react";
import type { Conversation } from "../../api/types";
import { text } from "../../i18n";
import { dismiss, toast } from "../../ui/toasts";
import { stateOf, useChange } from "../data/change";

/** Resolves an open conversation with a way back, or opens a resolved one. The way back is there as soon as the row is gone. */
export function useResolve(): (conversation: Conversation) => void {
  const change = useChange();
  return useCallback(
    (before: Conversation) => {
      const { id, status } = before;
      const next = status === "resolved" ? "open" : "resolved";
      const made = change(id, { status: next });
      if (next !== "resolved") return;
      const undo = () => void made.then((done) => done && change(id, stateOf(before))); // one after the other
      const said = toast(text("inbox").resolved, { undo });
      void made.then((done) => done || dismiss(said));
    },
    [change],
  );
}
