import type { MessageType } from "../../api/types";
import { Icon, type IconName } from "../../ui/icons";
import styles from "./TypeIcon.module.css";

const icons: Partial<Record<MessageType, IconName>> = {
  image: "image",
  video: "play",
  audio: "mic",
  document: "file",
  location: "pin",
  contacts: "person",
  template: "template",
};

/** What sort of thing a message is, where it is not a text. */
export function TypeIcon({ type }: { type: MessageType }) {
  const name = icons[type];
  if (!name) return null;
  return (
    <span className={styles.icon}>
      <Icon name={name} size={15} />
    </span>
  );
}
