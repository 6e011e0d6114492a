import { useText } from "../../i18n";
import styles from "./NewPill.module.css";

/** Rows that came or moved while somebody pointed at the list. */
export function NewPill({ count, onClick }: { count: number; onClick: () => void }) {
  const t = useText("inbox");
  return (
    <button type="button" className={styles.pill} onClick={onClick}>
      {t.newRows(count)}
    </button>
  );
}
