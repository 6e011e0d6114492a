import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useLanguage } from "../i18n";
import { Panel } from "../settings/Section";
import { DayBars } from "../ui/DayBars";
import { share, webhookFiguresQuery, type Range } from "./data";
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
      {figures.days.length > 1 && (
        <DayBars
          days={figures.days}
          stand="stack"
          most={Math.max(...figures.days.map((d) => d.deliveries.total))}
          bars={({ deliveries: d }) => [
            { className: styles.bad, n: d.dead },
            { className: styles.in, n: d.waiting },
            { className: styles.out, n: d.succeeded },
          ]}
          title={(label, { deliveries: d }) => t.webhookTitle(label, d.succeeded, d.waiting, d.dead)}
        />
      )}
    </Panel>
  );
}
