import type { ReactNode } from "react";
import { Icon, type IconName } from "./icons";
import styles from "./states.module.css";

/** Nothing to show, and the one thing to do about it. Where it is the whole page, its title is the page's. */
export function EmptyState(props: { icon: IconName; title: string; page?: boolean; children?: ReactNode; action?: ReactNode }) {
  const Title = props.page ? "h1" : "h2";
  return (
    <div className={styles.state}>
      <span className={styles.icon}>
        <Icon name={props.icon} size={22} />
      </span>
      <Title>{props.title}</Title>
      {props.children && <p>{props.children}</p>}
      {props.action && <div className={styles.action}>{props.action}</div>}
    </div>
  );
}
