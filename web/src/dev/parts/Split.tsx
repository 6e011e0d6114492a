import { Fragment, type ReactNode } from "react";
import { useText } from "../../i18n";
import { IconButton } from "../../ui/IconButton";
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

/** A name such as customer.setup_link.created, which may go on in the next line after a dot or an underscore. */
const breakable = (name: string) => name.split(/(?<=[._])/).map((part, i) => <Fragment key={i}>{i > 0 && <wbr />}{part}</Fragment>);

export function Aside(props: { title: ReactNode; label: string; actions?: ReactNode; close: () => void; children: ReactNode }) {
  const t = useText("common");
  return (
    <aside className={styles.aside} aria-label={props.label}>
      <div className={styles.title}>
        <h2>{typeof props.title === "string" ? breakable(props.title) : props.title}</h2>
        {props.actions}
        <IconButton icon="close" label={t.close} iconSize={18} size={32} onClick={props.close} />
      </div>
      {props.children}
    </aside>
  );
}
