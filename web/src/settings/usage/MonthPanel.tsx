import { Progress } from "@mantine/core";
import { useLanguage } from "../../i18n";
import { Panel } from "../Section";
import { useUsageText, type Month } from "./data";
import styles from "./UsagePage.module.css";

/** A bar for each day of the month that has begun. Its figures are in the title, and in the list for screen readers. */
function Days({ month }: { month: Month }) {
  const t = useUsageText();
  const language = useLanguage();
  const most = Math.max(1, ...month.days.map((day) => day.outbound));
  const name = new Intl.DateTimeFormat(language, { day: "numeric", month: "short", timeZone: "UTC" });
  const number = new Intl.NumberFormat(language);
  return (
    <ul className={styles.days} aria-label={t.days}>
      {month.days.map((day) => (
        <li key={day.date} title={t.dayTitle(name.format(new Date(day.date)), number.format(day.outbound))}>
          <span className={styles.bar} style={{ height: `${(100 * day.outbound) / most}%` }} />
          <span className="visually-hidden">{t.dayTitle(name.format(new Date(day.date)), number.format(day.outbound))}</span>
        </li>
      ))}
    </ul>
  );
}

function outlook(t: ReturnType<typeof useUsageText>, month: Month, text: (n: number) => string): string {
  const { used, limit, forecast } = month;
  if (limit === null) return `${t.unlimited} ${t.forecast(text(forecast))}`;
  if (used >= limit) return t.usedUp;
  return forecast > limit ? t.forecastOver(text(forecast), text(forecast - limit)) : t.forecast(text(forecast));
}

export function MonthPanel({ month }: { month: Month }) {
  const t = useUsageText();
  const number = new Intl.NumberFormat(useLanguage());
  const text = (n: number) => number.format(n);
  const share = month.limit ? Math.min(100, (100 * month.used) / month.limit) : 0;
  const kind = month.limit === null ? undefined : month.used >= month.limit ? "red" : month.forecast > month.limit ? "amber" : undefined;
  return (
    <Panel title={t.messages}>
      <p className={styles.used}>{month.limit === null ? t.used(text(month.used)) : t.usedOf(text(month.used), text(month.limit))}</p>
      {month.limit !== null && (
        <Progress value={share} color={kind === "red" ? "red" : kind === "amber" ? "yellow" : undefined} size={10} radius={5} aria-label={t.progress} />
      )}
      <p className={styles.outlook} data-kind={kind}>
        {outlook(t, month, text)}
      </p>
      <Days month={month} />
    </Panel>
  );
}
