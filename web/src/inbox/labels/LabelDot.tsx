import type { LabelColor } from "../../api/types";
import styles from "./LabelDot.module.css";

/** A label's colour is a dot beside its text, never the text itself. */
export function LabelDot({ color }: { color: LabelColor }) {
  return <i className={styles.dot} data-color={color} aria-hidden="true" />;
}
