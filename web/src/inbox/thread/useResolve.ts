import { useCallback } from "react";
import type { Conversation } from "../../api/types";
import { text } from "../../i18n";
import { toast, toastError } from "../../ui/toasts";
import { useChange } from "../data/change";

/** Resolves an open conversation with a way back, or opens a resolved one. */
export function useResolve(): (conversation: Conversation) => void {
  const { mutate } = useChange();
  return useCallback(
    ({ id, status }: Conversation) => {
      const next = status === "resolved" ? "open" : "resolved";
      const back = () => mutate({ id, change: { status } }, { onError: toastError });
      mutate(
        { id, change: { status: next } },
        {
          onError: toastError,
          onSuccess: () => next === "resolved" && toast(text("inbox").resolved, { undo: back }),
        },
      );
    },
    [mutate],
  );
}
