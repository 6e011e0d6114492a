import { useCallback } from "react";
import type { Conversation } from "../../api/types";
import { text } from "../../i18n";
import { toast, toastError } from "../../ui/toasts";
import { useChange } from "../data/change";

/** Snoozes until an instant or the next reply; null wakes. */
export function useSnooze({ id }: Conversation): (until: string | null) => void {
  const { mutate } = useChange();
  return useCallback(
    (until: string | null) => {
      const change = until === "reply" ? ({ until_reply: true } as const) : { snoozed_until: until };
      const wake = () => mutate({ id, change: { snoozed_until: null } }, { onError: toastError });
      mutate(
        { id, change },
        { onError: toastError, onSuccess: () => until && toast(text("inbox").snoozedToast, { undo: wake }) },
      );
    },
    [id, mutate],
  );
}
