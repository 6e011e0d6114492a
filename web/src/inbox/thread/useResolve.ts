import { useCallback } from "react";
import type { Conversation } from "../../api/types";
import { text } from "../../i18n";
import { toast } from "../../ui/toasts";
import { useChange } from "../data/change";

/** Resolves an open conversation with a way back, or opens a resolved one. */
export function useResolve(): (conversation: Conversation) => void {
  const change = useChange();
  return useCallback(
    ({ id, status }: Conversation) => {
      const next = status === "resolved" ? "open" : "resolved";
      const undo = () => void change(id, { status });
      void change(id, { status: next }).then((done) => done && next === "resolved" && toast(text("inbox").resolved, { undo }));
    },
    [change],
  );
}
