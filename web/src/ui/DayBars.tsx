import { useLanguage } from "../i18n";
import styles from "./DayBars.module.css";

export interface Bar {
  className?: string;
  n: number;
}

interface Props<T> {
  days: (T & { date: string })[];
  /** What the bars are about, where no heading says it. */
  label?: string;
  /** How the bars of a day stand: beside each other, or one on the other. */
  stand: "bars" | "stack";
  /** What the highest day has. */
  most: number;
  bars: (day: T) => Bar[];
  title: (label: string, day: T) => string;
}

/** Bars for each day. A list for those who cannot see it: each day says its figures. */
export function DayBars<T>({ days, label: about, stand, most, bars, title }: Props<T>) {
  const language = useLanguage();
  const name = new Intl.DateTimeFormat(language, { day: "numeric", month: "short", timeZone: "UTC" });
  const height = (n: number) => ({ height: n > 0 ? `max(2px, ${(100 * n) / Math.max(1, most)}%)` : 0 });
  const step = Math.ceil(days.length / 10);
  return (
    <ol className={styles.days} aria-label={about}>
      {days.map((day, i) => {
        const label = name.format(new Date(day.date));
        const said = title(label, day);
        return (
          <li key={day.date} title={said}>
            <span className="visually-hidden">{said}</span>
            <span className={styles[stand]} aria-hidden="true">
              {bars(day).map((b, k) => (
                <span key={k} className={b.className} style={height(b.n)} />
              ))}
            </span>
            <span className={styles.label} aria-hidden="true" data-other={(i / step) % 2 === 1 || undefined}>
              {i % step === 0 ? label : ""}
            </span>
          </li>
        );
      })}
    </ol>
  );
}
