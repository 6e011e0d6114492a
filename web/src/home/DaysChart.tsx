import { Panel } from "../settings/Section";
import { useLanguage } from "../i18n";
import type { Figures } from "./data";
import styles from "./HomePage.module.css";
import { useHome } from "./text";

/** Two bars for each day. A list for those who cannot see it: each day says its figures. */
export function DaysChart({ days }: { days: Figures["days"] }) {
  const t = useHome();
  const language = useLanguage();
  const most = Math.max(1, ...days.map((d) => Math.max(d.messages.inbound, d.messages.outbound)));
  const name = new Intl.DateTimeFormat(language, { day: "numeric", month: "short", timeZone: "UTC" });
  const height = (n: number) => ({ height: `${(100 * n) / most}%` });
  return (
    <Panel title={t.perDay}>
      <ul className={styles.legend}>
        <li className={styles.inKey}>{t.inbound}</li>
        <li className={styles.outKey}>{t.outbound}</li>
      </ul>
      <ol className={styles.days}>
        {days.map(({ date, messages: m }, i) => {
          const label = name.format(new Date(date));
          const title = t.dayTitle(label, m.inbound, m.outbound, m.failed);
          return (
            <li key={date} title={title}>
              <span className={styles.spoken}>{title}</span>
              <span className={styles.bars} aria-hidden="true">
                <span className={styles.in} style={height(m.inbound)} />
                <span className={styles.out} style={height(m.outbound)} />
              </span>
              <span className={styles.label} aria-hidden="true">
                {i % Math.ceil(days.length / 10) === 0 ? label : ""}
              </span>
            </li>
          );
        })}
      </ol>
    </Panel>
  );
}
