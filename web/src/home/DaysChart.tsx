import { Panel } from "../settings/Section";
import { DayBars } from "../ui/DayBars";
import type { Figures } from "./data";
import styles from "./HomePage.module.css";
import { useHome } from "./text";

/** Two bars for each day: what came in, and what went out. */
export function DaysChart({ days }: { days: Figures["days"] }) {
  const t = useHome();
  return (
    <Panel title={t.perDay}>
      <ul className={styles.legend}>
        <li className={styles.inKey}>{t.inbound}</li>
        <li className={styles.outKey}>{t.outbound}</li>
      </ul>
      <DayBars
        days={days}
        stand="bars"
        most={Math.max(...days.map((d) => Math.max(d.messages.inbound, d.messages.outbound)))}
        bars={({ messages: m }) => [
          { className: styles.in, n: m.inbound },
          { className: styles.out, n: m.outbound },
        ]}
        title={(label, { messages: m }) => t.dayTitle(label, m.inbound, m.outbound, m.failed)}
      />
    </Panel>
  );
}
