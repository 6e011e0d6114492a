import { useMutation, useQueryClient } from "@tanstack/react-query";
import { idempotencyKey, send } from "../../api/client";
import type { Conversation, ConversationFilter } from "../../api/types";
import { text } from "../../i18n";
import { toast, toastFailure } from "../../ui/toasts";
import { clearSelection, useSelection } from "../list/selection";
import { refresh } from "./conversations";

export type BulkChange =
  | { status: Conversation["status"] }
  | { assigned_to: string | null }
  | { label_id: string }
  | { unread: true }
  | { until_reply: true };

interface Changed {
  changed: number;
  undo: string | null;
}

/** Changes what is chosen, or all that the filter matches. The server does it, and can take it back. */
export function useBulk(filter: ConversationFilter) {
  const client = useQueryClient();
  const { selected, all } = useSelection();
  const settled = () => refresh(client);
  const undo = (token: string): Promise<void> =>
    send("POST", "/conversations/bulk/undo", { token }).then(settled, (error) => toastFailure(error, () => void undo(token)));
  const { mutate, isPending } = useMutation({
    mutationFn: (change: BulkChange) => {
      const target = all ? { filter } : { ids: [...selected] };
      return send<Changed>("POST", "/conversations/bulk", { ...target, change }, { idempotencyKey: idempotencyKey() });
    },
    onSuccess: ({ changed, undo: token }) => {
      clearSelection();
      toast(text("inbox").bulkDone(changed), token ? { undo: () => void undo(token) } : {});
    },
    onError: (error, again) => toastFailure(error, () => mutate(again)),
    onSettled: settled,
  });
  return { change: mutate, busy: isPending };
}
