import type { ReactNode } from "react";
import styles from "./Rows.module.css";

export function Rows({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul className={styles.rows} aria-label={label}>
      {children}
    </ul>
  );
}

/** One thing in a list of the settings: a mark, its name, what else is to say, and what can be done with it. */
export function Row(props: { mark?: ReactNode; name: ReactNode; detail?: ReactNode; aside?: ReactNode; actions?: ReactNode }) {
  return (
    <li className={styles.row}>
      {props.mark}
      <div className={styles.text}>
        <div className={styles.name}>{props.name}</div>
        {props.detail && <div className={styles.detail}>{props.detail}</div>}
      </div>
      {props.aside && <div className={styles.aside}>{props.aside}</div>}
      {props.actions && <div className={styles.actions}>{props.actions}</div>}
    </li>
  );
}

/** A short state beside a name. */
export function Tag({ children, kind }: { children: ReactNode; kind?: "amber" | "red" | "green" }) {
  return (
    <span className={styles.tag} data-kind={kind}>
      {children}
    </span>
  );
}
