import { useQuery } from "@tanstack/react-query";
import { useLanguage } from "../i18n";
import { Panel } from "../settings/Section";
import { Loaded } from "../ui/Loaded";
import { mostCounted, paceQuery, type Pace } from "./data";
import styles from "./Numbers.module.css";
import { useNumbers } from "./text";

export function PacePanel({ id }: { id: string }) {
  const t = useNumbers();
  return (
    <Panel title={t.pace}>
      <Loaded query={useQuery(paceQuery(id))} rows={2}>
        {(pace) => <Figures pace={pace} />}
      </Loaded>
    </Panel>
  );
}

function Figures({ pace: { waiting, sending } }: { pace: Pace }) {
  const t = useNumbers();
  const number = new Intl.NumberFormat(useLanguage(), { maximumFractionDigits: 1 });
  const figures: [string, string][] = [[t.waiting, waiting >= mostCounted ? t.waitingMore(number.format(mostCounted)) : number.format(waiting)]];
  if (sending) {
    figures.unshift([t.lastMinute, number.format(sending.last_minute)]);
    figures.push([t.perSecondNow, number.format(sending.per_second_now)]);
  }
  return (
    <>
      <dl className={styles.figures}>
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p className={styles.note}>{sending ? paceNote(sending, t, number) : t.paceElsewhere}</p>
    </>
  );
}

function paceNote(sending: NonNullable<Pace["sending"]>, t: ReturnType<typeof useNumbers>, number: Intl.NumberFormat): string {
  if (sending.paused_seconds > 0) return t.paused(sending.paused_seconds);
  if (sending.per_second_now < sending.per_second) return t.slowed;
  return t.paceHint(number.format(sending.per_second));
}
