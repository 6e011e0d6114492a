import { Fragment } from "react";
import { Panel } from "../settings/Section";
import { useLanguage } from "../i18n";
import styles from "./HomePage.module.css";
import { useHome } from "./text";

/** Weeks begin on Monday; the figures on Sunday. */
const weekdays = [1, 2, 3, 4, 5, 6, 0];

/** The darker an hour, the more people write in it. */
export function HoursPanel({ hours }: { hours: number[][] }) {
  const t = useHome();
  const language = useLanguage();
  const most = Math.max(1, ...hours.flat());
  const name = new Intl.DateTimeFormat(language, { weekday: "short", timeZone: "UTC" });
  const title = (day: number, hour: number) =>
    t.hourTitle(name.format(new Date(Date.UTC(2024, 0, 7 + day))), `${String(hour).padStart(2, "0")}:00`, hours[day]?.[hour] ?? 0);
  return (
    <Panel title={t.hours} hint={t.hoursHint}>
      <div className={styles.hours} role="img" aria-label={busiest(hours, title)}>
        {weekdays.map((day) => (
          <Fragment key={day}>
            <span className={styles.weekday}>{name.format(new Date(Date.UTC(2024, 0, 7 + day)))}</span>
            {Array.from({ length: 24 }, (_, hour) => (
              <span key={hour} className={styles.hour} title={title(day, hour)}
                style={{ "--share": (hours[day]?.[hour] ?? 0) / most } as React.CSSProperties} />
            ))}
          </Fragment>
        ))}
        <span />
        {Array.from({ length: 24 }, (_, hour) => (
          <span key={hour} className={styles.clock}>
            {hour % 6 === 0 ? hour : ""}
          </span>
        ))}
      </div>
    </Panel>
  );
}

/** The three busiest hours, for those who cannot see the picture. */
function busiest(hours: number[][], title: (day: number, hour: number) => string): string {
  const all = hours.flatMap((of, day) => of.map((count, hour) => ({ day, hour, count })));
  all.sort((a, b) => b.count - a.count);
  return all.slice(0, 3).map(({ day, hour }) => title(day, hour)).join("; ");
}
