import { useQuery } from "@tanstack/react-query";
import styles from "../parts/console.module.css";
import { useDev } from "../text";
import { healthQuery, type HealthRange } from "./data";

/** Deliveries over time, what failed of them in red. */
export function Chart({ id, range }: { id: string; range: HealthRange }) {
  const t = useDev();
  const buckets = useQuery(healthQuery(id, range)).data?.buckets ?? [];
  const highest = Math.max(1, ...buckets.map(({ deliveries }) => deliveries));
  const sum = (of: "deliveries" | "failed") => buckets.reduce((total, bucket) => total + bucket[of], 0);
  return (
    <div className={styles.chart} role="img" aria-label={t.chart(t.ranges[range], sum("deliveries"), sum("failed"))}>
      {buckets.map(({ at, deliveries, failed }) => (
        <i
          key={at}
          data-kind={deliveries === 0 ? "none" : undefined}
          style={{ height: `${Math.round((100 * deliveries) / highest)}%` }}
          title={`${new Date(at).toLocaleString()}: ${t.bar(deliveries, failed)}`}
        >
          {failed > 0 && <u style={{ height: `${Math.max(15, Math.round((100 * failed) / deliveries))}%` }} />}
        </i>
      ))}
    </div>
  );
}
