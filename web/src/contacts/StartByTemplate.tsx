import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { idempotencyKey, send } from "../api/client";
import type { Message } from "../api/types";
import { useText } from "../i18n";
import { TemplatePicker, type Filled } from "../inbox/templates/TemplatePicker";
import { Modal } from "../ui/Modal";
import { toastError } from "../ui/toasts";
import type { Contact } from "./data";

/** Writes to a contact by a template; the message lands in the conversation that is there. */
export default function StartByTemplate({ contact: c, close }: { contact: Contact; close: () => void }) {
  const t = useText("contacts");
  const common = useText("common");
  const navigate = useNavigate();
  const [key] = useState(idempotencyKey);
  const to = c.phone_number ? { to: c.phone_number } : { recipient: c.bsuid };
  const start = ({ template }: Filled) => {
    const body = { messaging_product: "chat", ...to, type: "template", template };
    send<Message>("POST", `/${c.number.phone_number_id}/messages`, body, { idempotencyKey: key }).then(
      (message) => navigate({ to: "/inbox/$view/{-$conversation}", params: { view: "all", conversation: message.conversation_id } }),
      toastError,
    );
  };
  return (
    <Modal onClose={close} title={t.startTemplate} size={860} centered closeButtonProps={{ "aria-label": common.close }}>
      <TemplatePicker number={c.number.phone_number_id} contact={c.name} onDone={start} />
    </Modal>
  );
}
