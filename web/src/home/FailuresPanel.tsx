import { Panel } from "../settings/Section";
import { useLanguage } from "../i18n";
import type { Figures } from "./data";
import styles from "./HomePage.module.css";
import { useHome } from "./text";

export function FailuresPanel({ failures }: { failures: Figures["failures"] }) {
  const t = useHome();
  const language = useLanguage();
  const most = Math.max(1, ...failures.map((f) => f.count));
  return (
    <Panel title={t.failures}>
      {failures.length === 0 && <p className={styles.hint}>{t.noFailures}</p>}
      <ul className={styles.failures}>
        {failures.map((f) => (
          <li key={f.code}>
            <code>{f.code}</code>
            <span>{new Intl.NumberFormat(language).format(f.count)}</span>
            <span className={styles.failureBar} aria-hidden="true" style={{ width: `${(100 * f.count) / most}%` }} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
