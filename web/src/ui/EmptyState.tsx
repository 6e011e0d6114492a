import type { ReactNode } from "react";
import { Icon, type IconName } from "./icons";
import styles from "./states.module.css";

/** Nothing to show, and the one thing to do about it. */
export function EmptyState(props: { icon: IconName; title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className={styles.state}>
      <span className={styles.icon}>
        <Icon name={props.icon} size={22} />
      </span>
      <h2>{props.title}</h2>
      {props.children && <p>{props.children}</p>}
      {props.action && <div className={styles.action}>{props.action}</div>}
    </div>
  );
}
