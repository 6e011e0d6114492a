import type { LabelColor } from "../api/types";
import styles from "./Dot.module.css";

/** The colour of a label. Its name stands beside it. */
export function Dot({ color }: { color: LabelColor }) {
  return <span className={styles.dot} data-color={color} aria-hidden="true" />;
}
