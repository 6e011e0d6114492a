import { Modal, TextInput } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { send } from "../../api/client";
import { useMe } from "../../api/queries";
import type { Message } from "../../api/types";
import { useText } from "../../i18n";
import { EmptyState } from "../../ui/EmptyState";
import { refresh } from "../data/conversations";
import { usePlace } from "../place";
import { TemplatePicker, type Filled } from "../templates/TemplatePicker";
import { useKeys } from "./useKeys";
import styles from "./NewConversation.module.css";
import { NumberSelect } from "../../ui/NumberSelect";
import { phoneIn } from "../../ui/phone";

/** Begins a conversation by a template. Where there is one with this person, the message lands in it. */
export default function NewConversation({ onClose }: { onClose: () => void }) {
  const t = useText("inbox");
  const common = useText("common");
  const client = useQueryClient();
  const { numbers } = useMe();
  const { open } = usePlace();
  const narrow = useMediaQuery("(max-width: 720px)");
  const [from, setFrom] = useState(numbers[0]?.phone_number_id);
  const [to, setTo] = useState("");
  const keyOf = useKeys();
  const phone = phoneIn(to);
  const start = async ({ template }: Filled) => {
    const body = { messaging_product: "chat", to: phone, type: "template", template };
    const message = await send<Message>("POST", `/${from}/messages`, body, { idempotencyKey: keyOf([from, body]) });
    refresh(client);
    onClose();
    open(message.conversation_id);
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t.newConversation}
      size={860}
      centered
      fullScreen={narrow}
      closeButtonProps={{ "aria-label": common.close }}
    >
      {from === undefined ? (
        <EmptyState icon="phone" title={t.startNoNumber} />
      ) : (
        <>
          <FromAndTo from={from} setFrom={setFrom} to={to} setTo={setTo} />
          {phone ? (
            <TemplatePicker number={from} contact={null} onDone={start} />
          ) : (
            <EmptyState icon="template" title={t.startFirst} />
          )}
        </>
      )}
    </Modal>
  );
}

interface Ends {
  from: string;
  setFrom: (number: string | undefined) => void;
  to: string;
  setTo: (text: string) => void;
}

function FromAndTo({ from, setFrom, to, setTo }: Ends) {
  const t = useText("inbox");
  return (
    <div className={styles.people}>
      <TextInput
        label={t.startTo}
        description={t.startToHint}
        type="tel"
        data-autofocus
        value={to}
        onChange={(event) => setTo(event.target.value)}
      />
      <NumberSelect label={t.startFrom} value={from} onChange={setFrom} />
    </div>
  );
}
