import { useQuery } from "@tanstack/react-query";
import { EventTypeChoice } from "../events/EventTypeChoice";
import { Choice } from "../parts/Choice";
import styles from "../parts/console.module.css";
import type { Filters } from "../parts/filters";
import { Since } from "../parts/Since";
import { useDev } from "../text";
import { endpointsQuery, shortURL } from "../webhooks/data";

const states = ["pending", "failed", "dead", "succeeded"] as const;

export function DeliveryFilters(props: { filters: Filters; change: (next: Filters) => void; ofOne?: boolean }) {
  const t = useDev();
  const { filters, change } = props;
  const endpoints = useQuery(endpointsQuery).data ?? [];
  return (
    <div className={styles.bar} role="search" aria-label={t.filters}>
      <Choice
        label={t.status}
        any={t.any}
        value={filters.status}
        options={states.map((value) => ({ value, label: t.deliveryStates[value] }))}
        change={(status) => change({ status })}
      />
      <EventTypeChoice value={filters.event_type} change={(event_type) => change({ event_type })} />
      {!props.ofOne && (
        <Choice
          label={t.endpoint}
          any={t.any}
          value={filters.subscription_id}
          options={endpoints.map(({ id, url }) => ({ value: id, label: shortURL(url) }))}
          change={(subscription_id) => change({ subscription_id })}
        />
      )}
      <Since value={filters.since} change={(since) => change({ since })} />
    </div>
  );
}
