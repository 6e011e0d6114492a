import { useEffect, type ReactNode } from "react";
import styles from "./Card.module.css";

/** The frame of the pages without a session. */
export function Card({ title, hint, children }: { title: string; hint?: string; children?: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Parley`;
    return () => {
      document.title = "Parley";
    };
  }, [title]);
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <div className={styles.brand}>
          <span className={styles.logo} aria-hidden="true">
            P
          </span>
          Parley
        </div>
        <h1>{title}</h1>
        {hint && <p>{hint}</p>}
        {children}
      </div>
    </main>
  );
}
