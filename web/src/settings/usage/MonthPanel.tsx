import { Progress } from "@mantine/core";
import { useLanguage } from "../../i18n";
import { DayBars } from "../../ui/DayBars";
import { Panel } from "../Section";
import { useUsageText, type Month } from "./data";
import styles from "./UsagePage.module.css";

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
      <DayBars
        days={month.days}
        label={t.days}
        stand="stack"
        most={Math.max(...month.days.map((day) => day.outbound))}
        bars={(day) => [{ n: day.outbound }]}
        title={(label, day) => t.dayTitle(label, text(day.outbound))}
      />
    </Panel>
  );
}
