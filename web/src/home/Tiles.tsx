import { useLanguage } from "../i18n";
import { duration } from "../ui/times";
import { growth, share, type Figures, type Range } from "./data";
import styles from "./HomePage.module.css";
import { useHome } from "./text";

/** The figures in a row, each beside what it was before. */
export function Tiles({ figures: { now, before }, days }: { figures: Figures; days: Range }) {
  const t = useHome();
  const language = useLanguage();
  const whole = (n: number) => new Intl.NumberFormat(language).format(n);
  const percent = (n: number | undefined) => (n === undefined ? t.none : `${n}%`);
  const m = now.messages;
  const took = (d: { count: number; median_seconds: number }) => (d.count > 0 ? duration(d.median_seconds, language) : t.none);
  const changes = [
    growth(m.inbound, before.messages.inbound), growth(m.outbound, before.messages.outbound),
    growth(now.answered.median_seconds, before.answered.median_seconds), growth(now.resolved.median_seconds, before.resolved.median_seconds),
  ];
  return (
    <>
      <dl className={styles.tiles}>
        <Tile name={t.inbound} value={whole(m.inbound)} change={changes[0]} />
        <Tile name={t.outbound} value={whole(m.outbound)} change={changes[1]} />
        <Tile name={t.delivered} value={percent(share(m.delivered, m.sent + m.failed))} hint={t.deliveredHint} />
        <Tile name={t.read} value={percent(share(m.read, m.delivered))} hint={t.readHint} />
        <Tile name={t.answered} value={took(now.answered)} hint={t.answeredHint(now.answered.count)} change={changes[2]} />
        <Tile name={t.resolved} value={took(now.resolved)} hint={t.resolvedHint(now.resolved.count)} change={changes[3]} />
      </dl>
      {changes.some((change) => change !== undefined) && <p className={styles.hint}>{t.compared(days)}</p>}
    </>
  );
}

function Tile(props: { name: string; value: string; hint?: string; change?: number }) {
  return (
    <div className={styles.tile}>
      <dt>{props.name}</dt>
      <dd>
        <span className={styles.value}>{props.value}</span>
        {props.change !== undefined && <Change percent={props.change} />}
        {props.hint && <small>{props.hint}</small>}
      </dd>
    </div>
  );
}

function Change({ percent }: { percent: number }) {
  const t = useHome();
  const text = `${Math.abs(percent)}%`;
  const words = percent === 0 ? t.same : percent > 0 ? t.more(text) : t.less(text);
  return (
    <span className={styles.change} title={words}>
      <span aria-hidden="true">{percent === 0 ? "=" : percent > 0 ? `↑ ${text}` : `↓ ${text}`}</span>
      <span className={styles.spoken}>{words}</span>
    </span>
  );
}
