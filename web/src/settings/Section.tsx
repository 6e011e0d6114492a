import type { ReactNode } from "react";
import { PageTitle } from "../ui/PageTitle";
import styles from "./Section.module.css";

/** A page of the settings: its name, one line on what it is for, its main action. */
export function Section(props: { title: string; hint?: ReactNode; action?: ReactNode; children: ReactNode }) {
  return (
    <div className={styles.page}>
      <header>
        <div>
          <PageTitle>{props.title}</PageTitle>
          {props.hint && <p>{props.hint}</p>}
        </div>
        {props.action}
      </header>
      {props.children}
    </div>
  );
}

/** A part of such a page, on a ground of its own. */
export function Panel({ title, hint, children }: { title?: string; hint?: string; children: ReactNode }) {
  return (
    <section className={styles.panel}>
      {title && <h2>{title}</h2>}
      {hint && <p className={styles.hint}>{hint}</p>}
      {children}
    </section>
  );
}
