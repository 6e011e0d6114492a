import { useText } from "../../i18n";
import styles from "./NewPill.module.css";

interface Props {
  count: number;
  /** `byKey` tells that it was pressed on the keyboard, whose focus it takes along. */
  onPress: (byKey: boolean) => void;
}

/** Rows that came or moved while somebody pointed at the list. */
export function NewPill({ count, onPress }: Props) {
  const t = useText("inbox");
  return (
    <button type="button" className={styles.pill} onClick={(event) => onPress(event.detail === 0)}>
      {t.newRows(count)}
    </button>
  );
}
