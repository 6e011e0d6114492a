import { Checkbox, TextInput } from "@mantine/core";
import { useText } from "../../i18n";
import type { OpenHours } from "./data";
import { pastMidnight } from "./hours";
import styles from "./DayHours.module.css";

const usual = { opens: "09:00", closes: "17:00" };

/** When somebody is there on a day of the week. */
export function DayHours(props: {
  day: string;
  hours: OpenHours | undefined;
  change: (times: { opens: string; closes: string } | null) => void;
}) {
  const t = useText("organization");
  const { hours } = props;
  const name = t.days[props.day] ?? props.day;
  const time = (which: "opens" | "closes") => (
    <TextInput
      type="time"
      required
      className={styles.time}
      aria-label={t[which](name)}
      value={hours?.[which]}
      onChange={(event) => hours && props.change({ opens: hours.opens, closes: hours.closes, [which]: event.target.value })}
    />
  );
  return (
    <div className={styles.day}>
      <Checkbox label={name} checked={!!hours} onChange={(event) => props.change(event.target.checked ? usual : null)} />
      {hours ? (
        <span className={styles.times}>
          {time("opens")} – {time("closes")}
          {pastMidnight(hours) && <span className={styles.note}>{t.nextDay}</span>}
        </span>
      ) : (
        <span className={styles.note}>{t.closed}</span>
      )}
    </div>
  );
}
