import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useLanguage } from "../i18n";
import { Panel } from "../settings/Section";
import { share, webhookFiguresQuery, type Range, type WebhookFigures } from "./data";
import styles from "./HomePage.module.css";
import { useHome } from "./text";

/** How the webhook deliveries of each day went. Where none were made there is nothing to show. */
export function WebhooksPanel({ days }: { days: Range }) {
  const t = useHome();
  const format = new Intl.NumberFormat(useLanguage());
  const figures = useQuery(webhookFiguresQuery(days)).data;
  if (!figures || figures.now.total + figures.before.total === 0) return null;
  const { now, before } = figures;
  const was = share(before.succeeded, before.total);
  return (
    <Panel title={t.webhooks}>
      <p className={styles.hint}>
        {t.webhooksHint(format.format(now.total), String(share(now.succeeded, now.total) ?? 0))}
        {was !== undefined && ` ${t.webhooksBefore(String(was))}`}
      </p>
      <ul className={styles.legend}>
        <li className={styles.outKey}>{t.succeeded}</li>
        <li className={styles.inKey}>
          {t.retrying} {format.format(now.waiting)}
        </li>
        <li className={styles.badKey}>
          <Link to="/dev/deliveries" search={{ status: "dead", since: figures.from }}>{t.dead} {format.format(now.dead)}</Link>
        </li>
      </ul>
      {figures.days.length > 1 && <Bars days={figures.days} />}
    </Panel>
  );
}

/** A bar for each day, of what succeeded, waits and was given up. */
function Bars({ days }: { days: WebhookFigures["days"] }) {
  const t = useHome();
  const language = useLanguage();
  const most = Math.max(1, ...days.map((d) => d.deliveries.total));
  const name = new Intl.DateTimeFormat(language, { day: "numeric", month: "short", timeZone: "UTC" });
  const height = (n: number) => ({ height: n > 0 ? `max(2px, ${(100 * n) / most}%)` : 0 });
  return (
    <ol className={styles.days}>
      {days.map(({ date, deliveries: d }, i) => {
        const label = name.format(new Date(date));
        const title = t.webhookTitle(label, d.succeeded, d.waiting, d.dead);
        return (
          <li key={date} title={title}>
            <span className={styles.spoken}>{title}</span>
            <span className={styles.stack} aria-hidden="true">
              <span className={styles.bad} style={height(d.dead)} />
              <span className={styles.in} style={height(d.waiting)} />
              <span className={styles.out} style={height(d.succeeded)} />
            </span>
            <span className={styles.label} aria-hidden="true">
              {i % Math.ceil(days.length / 10) === 0 ? label : ""}
            </span>
          </li>
        );
      })}
    </ol>
  );
}
