import { useCallback } from "react";
import type { Conversation } from "../../api/types";
import { text } from "../../i18n";
import { toast } from "../../ui/toasts";
import { stateOf, useChange } from "../data/change";

/** Snoozes until an instant or the next reply; null wakes. */
export function useSnooze({ id, status, snoozed_until }: Conversation): (until: string | null) => void {
  const change = useChange();
  return useCallback(
    (until: string | null) => {
      // "pending" alone would not end the snooze.
      const back = () => (status === "pending" && !snoozed_until ? { snoozed_until } : stateOf({ status, snoozed_until }));
      const undo = () => void change(id, back());
      const made = change(id, until === "reply" ? { until_reply: true } : { snoozed_until: until });
      void made.then((done) => done && until && toast(text("inbox").snoozedToast, { undo }));
    },
    [id, status, snoozed_until, change],
  );
}
