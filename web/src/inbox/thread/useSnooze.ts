import { useCallback } from "react";
import type { Conversation } from "../../api/types";
import { text } from "../../i18n";
import { toast } from "../../ui/toasts";
import { useChange } from "../data/change";

/** Snoozes until an instant or the next reply; null wakes. */
export function useSnooze({ id }: Conversation): (until: string | null) => void {
  const change = useChange();
  return useCallback(
    (until: string | null) => {
      const undo = () => void change(id, { snoozed_until: null });
      const made = change(id, until === "reply" ? { until_reply: true } : { snoozed_until: until });
      void made.then((done) => done && until && toast(text("inbox").snoozedToast, { undo }));
    },
    [id, change],
  );
}
