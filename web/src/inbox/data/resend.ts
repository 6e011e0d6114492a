import { idempotencyKey } from "../../api/client";
import type { ThreadRef, Message } from "../../api/types";
import { nameOf } from "./conversations";
import type { SendBody } from "./outbox";
import { outbox, recipientOf } from "./sending";

/** What a failed message was sent with, so that the same can go out again; null where that is not known. */
export function contentOf(m: Message): SendBody | null {
  const content: unknown = m[m.type as keyof Message];
  if (!content || m.direction !== "outbound") return null;
  return {
    messaging_product: "chat",
    type: m.type,
    [m.type]: content,
    ...(m.context?.message_id ? { context: { message_id: m.context.message_id } } : {}),
  };
}

/** Sends a failed message once more. It is another message, so it has a key of its own. */
export function resend(m: Message, conversation: ThreadRef, seen: string | undefined): void {
  const content = contentOf(m);
  if (!content) return;
  outbox.add({
    key: idempotencyKey(),
    conversation: conversation.id,
    number: conversation.number.phone_number_id,
    body: { ...content, ...recipientOf(conversation) },
    createdAt: new Date().toISOString(),
    state: "waiting",
    seen,
    to: nameOf(conversation),
  });
}
