import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { AdminsOnly } from "../settings/AdminsOnly";
import { PageTitle } from "../ui/PageTitle";
import { lastList } from "./address";
import styles from "./Broadcasts.module.css";
import type { Broadcast } from "./data";
import { useBroadcasts } from "./text";

/** A page of broadcasts: its name, what can be done, and the way back to the list. */
export function Frame(props: { title: string; hint?: ReactNode; action?: ReactNode; back?: boolean; children: ReactNode }) {
  const t = useBroadcasts();
  return (
    <AdminsOnly everybody>
      <div className={styles.page}>
        <div className={styles.inner}>
          {props.back && <Link to="/broadcasts" search={lastList()} className={styles.back}>{t.back}</Link>}
          <header className={styles.head}>
            <div>
              <PageTitle>{props.title}</PageTitle>
              {props.hint && <p>{props.hint}</p>}
            </div>
            {props.action}
          </header>
          {props.children}
        </div>
      </div>
    </AdminsOnly>
  );
}

export function State({ broadcast: b }: { broadcast: Broadcast }) {
  const t = useBroadcasts();
  return <span className={styles.state} data-state={b.status}>{t.statuses[b.status]}</span>;
}
