import { useNavigate } from "@tanstack/react-router";
import { send } from "../api/client";
import type { Message } from "../api/types";
import { useText } from "../i18n";
import { useKeys } from "../inbox/start/useKeys";
import { TemplatePicker, type Filled } from "../inbox/templates/TemplatePicker";
import { Modal } from "../ui/Modal";
import type { Contact } from "./data";

/** Writes to a contact by a template; the message lands in the conversation that is there. */
export default function StartByTemplate({ contact: c, close }: { contact: Contact; close: () => void }) {
  const t = useText("contacts");
  const common = useText("common");
  const navigate = useNavigate();
  const keyOf = useKeys();
  const start = async ({ template }: Filled) => {
    // By the contact's id: not everybody who writes may see the number.
    const body = { messaging_product: "chat", recipient: c.id, type: "template", template };
    const message = await send<Message>("POST", `/${c.number.phone_number_id}/messages`, body, { idempotencyKey: keyOf(body) });
    await navigate({ to: "/inbox/$view/{-$conversation}", params: { view: "all", conversation: message.conversation_id } });
  };
  return (
    <Modal onClose={close} title={t.startTemplate} size={860} centered closeButtonProps={{ "aria-label": common.close }}>
      <TemplatePicker number={c.number.phone_number_id} contact={c.name} onDone={start} />
    </Modal>
  );
}
