import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { idempotencyKey, send } from "../../api/client";
import type { ThreadRef, Message } from "../../api/types";
import { toastError } from "../../ui/toasts";
import { recipientOf } from "./sending";
import { showMessage, timelineKey } from "./timeline";

/** Puts an emoji on a message; an empty one takes it back. */
export function useReact(conversation: ThreadRef): (message: Message, emoji: string) => void {
  const client = useQueryClient();
  return useCallback(
    (message: Message, emoji: string) => {
      const ours = emoji ? [{ emoji, direction: "outbound" as const, from: null }] : [];
      showMessage(client, conversation.id, message.id, (m) => ({
        ...m,
        reactions: [...m.reactions.filter((r) => r.direction !== "outbound"), ...ours],
      }));
      const body = {
        ...recipientOf(conversation),
        type: "reaction",
        reaction: { message_id: message.message_id, emoji },
      };
      send("POST", `/${conversation.number.phone_number_id}/messages`, body, {
        idempotencyKey: idempotencyKey(),
      }).catch((error: unknown) => {
        toastError(error);
        void client.invalidateQueries({ queryKey: timelineKey(conversation.id) });
      });
    },
    [client, conversation],
  );
}
