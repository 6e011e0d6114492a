import { useMediaQuery } from "@mantine/hooks";
import type { Conversation } from "../../api/types";
import { useText } from "../../i18n";
import { useSend } from "../composer/useSend";
import { Modal } from "../../ui/Modal";
import { TemplatePicker, type Filled } from "./TemplatePicker";

/** Sends a template into a conversation. */
export default function TemplateDialog({
  conversation: c,
  onClose,
}: {
  conversation: Conversation;
  onClose: () => void;
}) {
  const t = useText("inbox");
  const { sendContents } = useSend(c);
  const narrow = useMediaQuery("(max-width: 720px)");
  const send = ({ template, preview }: Filled) => {
    const shown = { preview: preview as Record<string, unknown> };
    sendContents([{ content: { type: "template", template }, shown }]);
    onClose();
  };
  return (
    <Modal onClose={onClose} title={t.templates} size={860} centered fullScreen={narrow}>
      <TemplatePicker number={c.number.phone_number_id} contact={c.contact.name} onDone={send} />
    </Modal>
  );
}
