import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { send } from "../../api/client";
import { serverNow } from "../../api/clock";
import type { Conversation, LabelRef, Named } from "../../api/types";
import { toastFailure } from "../../ui/toasts";
import { refresh, showChange } from "./conversations";

export type Change =
  | { status: Conversation["status"] }
  | { assigned_to: string | null; assignee: Named | null }
  | { snoozed_until: string | null }
  | { until_reply: true }
  | { unread: true };

/** "until reply" is a snooze without an end. */
const untilReply = "9999-12-31T00:00:00Z";
export const isUntilReply = (until: string): boolean => until.startsWith("9999-");

function applied(c: Conversation, change: Change): Conversation {
  if ("assigned_to" in change) return { ...c, assignee: change.assignee };
  if ("status" in change) return { ...c, status: change.status, snoozed_until: null };
  if ("until_reply" in change) return { ...c, status: "pending", snoozed_until: untilReply };
  if ("unread" in change) return { ...c, unread_count: Math.max(1, c.unread_count) };
  return { ...c, status: change.snoozed_until ? "pending" : "open", snoozed_until: change.snoozed_until };
}

/** The change that gives a conversation back the state it has now. A snooze that has ended by then is over. */
export function stateOf({ status, snoozed_until: until }: Pick<Conversation, "status" | "snoozed_until">): Change {
  if (!until) return { status };
  if (isUntilReply(until)) return { until_reply: true };
  return { snoozed_until: Date.parse(until) > serverNow() ? until : null };
}

function bodyOf(change: Change): object {
  return "assigned_to" in change ? { assigned_to: change.assigned_to } : change;
}

/**
 * Changes a conversation: on screen at once, taken back where the server refuses, which is said. What it returns tells
 * whether the change was made, also when the part of the page that asked for it is gone by then.
 */
export function useChange(): (id: string, change: Change) => Promise<boolean> {
  const client = useQueryClient();
  const { mutateAsync, mutate } = useMutation({
    mutationFn: ({ id, change }: { id: string; change: Change }) =>
      send<Conversation>("PATCH", `/conversations/${id}`, bodyOf(change)),
    onMutate: ({ id, change }) => showChange(client, id, (c) => applied(c, change)),
    onError: (error, again, takeBack) => {
      takeBack?.();
      toastFailure(error, () => mutate(again));
    },
    onSettled: (_answer, _error, { id }) => refresh(client, id),
  });
  return useCallback((id, change) => mutateAsync({ id, change }).then(() => true, () => false), [mutateAsync]);
}

/** Puts a label on a conversation, or takes it off. */
export function useLabel() {
  const client = useQueryClient();
  const made = useMutation({
    mutationFn: async ({ id, label, on }: { id: string; label: LabelRef; on: boolean }): Promise<void> => {
      if (on) await send("POST", `/conversations/${id}/labels`, { label_id: label.id });
      else await send("DELETE", `/conversations/${id}/labels/${label.id}`);
    },
    onMutate: ({ id, label, on }) =>
      showChange(client, id, (c) => ({
        ...c,
        labels: on ? [...c.labels, label] : c.labels.filter((l) => l.id !== label.id),
      })),
    onError: (error, again, takeBack) => {
      takeBack?.();
      toastFailure(error, () => made.mutate(again));
    },
    onSettled: (_answer, _error, { id }) => refresh(client, id),
  });
  return made;
}
