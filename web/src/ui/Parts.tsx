import { Children, type ReactNode } from "react";
import styles from "./Parts.module.css";

/** Short statements side by side with a point between them, none of which is left over where a line ends. */
export function Parts({ children }: { children: ReactNode }) {
  return (
    <span className={styles.parts}>
      {Children.toArray(children).map((part, i) => (
        <span key={i}>{part}</span>
      ))}
    </span>
  );
}
