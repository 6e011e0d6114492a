import type { Message } from "../../../api/types";
import { useText } from "../../../i18n";
import styles from "./Card.module.css";

/** What the network does not pass on. Only the person's phone shows it. */
export function UnsupportedContent({ message: m }: { message: Message }) {
  const t = useText("inbox");
  const type = m.unsupported?.type;
  return (
    <em className={styles.unsupported}>
      {t.unsupported(type && type !== "unknown" ? type.replaceAll("_", " ") : null)}
    </em>
  );
}
