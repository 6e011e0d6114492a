import { ActionIcon } from "@mantine/core";
import type { ReactNode } from "react";
import { useText } from "../../i18n";
import { Icon } from "../../ui/icons";
import styles from "./console.module.css";

/** A list with what of it is open beside it; on a narrow screen instead of it. */
export function Split({ children, aside }: { children: ReactNode; aside?: ReactNode }) {
  return (
    <div className={styles.split} data-open={aside ? "" : undefined}>
      <div className={styles.list}>{children}</div>
      {aside}
    </div>
  );
}

export function Aside(props: { title: ReactNode; label: string; actions?: ReactNode; close: () => void; children: ReactNode }) {
  const t = useText("common");
  return (
    <aside className={styles.aside} aria-label={props.label}>
      <div className={styles.title}>
        <h2>{props.title}</h2>
        <span className={styles.space} />
        {props.actions}
        <ActionIcon variant="subtle" color="gray" size={32} aria-label={t.close} onClick={props.close}>
          <Icon name="close" size={18} />
        </ActionIcon>
      </div>
      {props.children}
    </aside>
  );
}
