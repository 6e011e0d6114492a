import type { Conversation } from "../../api/types";
import { useText } from "../../i18n";
import { IconButton } from "../../ui/IconButton";
import { nameOf } from "../data/conversations";
import { plainText } from "../text/format";
import { answer, useAnswering } from "./answering";
import styles from "./AnsweringBar.module.css";

/** The message that the next one answers. */
export function AnsweringBar({ conversation: c }: { conversation: Conversation }) {
  const t = useText("inbox");
  const message = useAnswering(c.id);
  if (!message) return null;
  return (
    <div className={styles.bar}>
      <div>
        <b>{t.answering(nameOf(c))}</b>
        <span>{plainText(message.text?.body ?? "") || t.type[message.type]}</span>
      </div>
      <IconButton
        icon="close"
        label={t.answeringNot}
        iconSize={16}
        size={28}
        onClick={() => answer(c.id, undefined)}
      />
    </div>
  );
}
