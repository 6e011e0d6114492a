import { Button, Group } from "@mantine/core";
import type { Message } from "../../api/types";
import { useText } from "../../i18n";
import { Modal } from "../../ui/Modal";
import styles from "./CollisionDialog.module.css";

/** Somebody was faster. It is asked once; then it counts as seen. */
export function CollisionDialog(props: { reply: Message; onSend: () => void; onClose: () => void }) {
  const t = useText("inbox");
  const { reply } = props;
  return (
    <Modal onClose={props.onClose} title={t.collisionTitle(reply.sent_by?.name ?? t.source.app)} centered>
      <blockquote className={styles.reply}>{reply.text?.body ?? t.type[reply.type]}</blockquote>
      <Group justify="flex-end" gap={8}>
        <Button variant="default" onClick={props.onSend}>
          {t.sendAnyway}
        </Button>
        <Button data-autofocus onClick={props.onClose}>
          {t.lookAgain}
        </Button>
      </Group>
    </Modal>
  );
}
