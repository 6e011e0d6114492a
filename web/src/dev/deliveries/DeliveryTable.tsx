import { useInfiniteQuery } from "@tanstack/react-query";
import { ErrorState } from "../../ui/ErrorState";
import { LinkButton } from "../../ui/LinkButton";
import { RowsSkeleton } from "../../ui/RowsSkeleton";
import { Clock } from "../parts/Clock";
import styles from "../parts/console.module.css";
import type { Filters } from "../parts/filters";
import { duration } from "../parts/format";
import { More } from "../parts/More";
import { Nothing } from "../parts/Nothing";
import { OpenLink } from "../parts/OpenLink";
import { useDev } from "../text";
import { useEndpointName } from "../webhooks/data";
import { SubjectCell, useSubjects, type Subject } from "../events/Subject";
import { deliveriesQuery, type Delivery } from "./data";
import { DeliveryState } from "./DeliveryState";

function DeliveryRow({ delivery, open, to, subject }: { delivery: Delivery; open: boolean; to?: string; subject: Subject | undefined }) {
  return (
    <tr data-open={open ? "" : undefined}>
      <td>
        <DeliveryState delivery={delivery} />
      </td>
      <td>
        <OpenLink id={delivery.id}>{delivery.event_type}</OpenLink>
      </td>
      <SubjectCell subject={subject} />
      {to && (
        <td className={styles.to}>
          <small className="mono">{to}</small>
        </td>
      )}
      <td className={`${styles.right} ${styles.seldom}`}>{delivery.attempt_count}</td>
      <td className={`${styles.right} ${styles.seldom}`}>{duration(delivery.duration_ms)}</td>
      <td className={styles.right}>
        <Clock value={delivery.created_at} />
      </td>
    </tr>
  );
}

/** Deliveries, newest first. Those of one endpoint need not say where they go. */
export function DeliveryTable({ filter, open }: { filter: Filters; open: string | undefined }) {
  const t = useDev();
  const nameOf = useEndpointName();
  const query = useInfiniteQuery(deliveriesQuery(filter));
  const subjects = useSubjects(query.data?.pages.map((page) => page.data) ?? []);
  if (query.isPending) return <div className={styles.pending}><RowsSkeleton /></div>;
  if (query.isLoadingError) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  const deliveries = query.data?.pages.flatMap((page) => page.data) ?? [];
  const one = filter.subscription_id !== undefined;
  if (query.isSuccess && deliveries.length === 0) {
    const first = !one && <LinkButton to="/dev/webhooks">{t.toEndpoints}</LinkButton>;
    return <Nothing icon="send" title={t.deliveriesNone} hint={t.deliveriesNoneHint} first={first} />;
  }
  return (
    <>
      <table className={styles.table} aria-label={t.deliveries}>
        <thead>
          <tr>
            <th>{t.status}</th>
            <th>{t.event}</th>
            <th className={styles.hide}>{t.about}</th>
            {!one && <th className={styles.to}>{t.endpoint}</th>}
            <th className={`${styles.right} ${styles.seldom}`}>{t.attempts}</th>
            <th className={`${styles.right} ${styles.seldom}`}>{t.answer}</th>
            <th className={styles.right}>{t.when}</th>
          </tr>
        </thead>
        <tbody>
          {deliveries.map((delivery) => (
            <DeliveryRow
              key={delivery.id}
              delivery={delivery}
              open={delivery.id === open}
              to={one ? undefined : nameOf(delivery.subscription_id)}
              subject={subjects.get(delivery.id)}
            />
          ))}
        </tbody>
      </table>
      <More query={query} found={deliveries.length} />
    </>
  );
}
