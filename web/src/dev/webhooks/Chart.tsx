import { useQuery } from "@tanstack/react-query";
import { useLanguage } from "../../i18n";
import { longTime } from "../../ui/times";
import styles from "../parts/console.module.css";
import { useDev } from "../text";
import { healthQuery, type Health, type HealthRange } from "./data";

/** Deliveries over time: what failed of them in red, what waits in grey. */
export function Chart({ id, range }: { id: string; range: HealthRange }) {
  const t = useDev();
  const language = useLanguage();
  const buckets = useQuery(healthQuery(id, range)).data?.buckets ?? [];
  const highest = Math.max(1, ...buckets.map(({ deliveries }) => deliveries));
  const sum = (of: "deliveries" | "waiting" | "failed") => buckets.reduce((total, bucket) => total + bucket[of], 0);
  return (
    <div className={styles.chart} role="img" aria-label={t.chart(t.ranges[range], sum("deliveries"), sum("waiting"), sum("failed"))}>
      {buckets.map((bucket) => (
        <Bar key={bucket.at} bucket={bucket} highest={highest} title={`${longTime(bucket.at, language)}: ${t.bar(bucket.deliveries, bucket.waiting, bucket.failed)}`} />
      ))}
    </div>
  );
}

function Bar({ bucket: { deliveries, waiting, failed }, highest, title }: { bucket: Health["buckets"][number]; highest: number; title: string }) {
  const part = (n: number) => ({ height: `max(3px, ${(100 * n) / deliveries}%)` });
  return (
    <i data-kind={deliveries === 0 ? "none" : undefined} style={{ height: `${Math.round((100 * deliveries) / highest)}%` }} title={title}>
      {waiting > 0 && <u data-kind="wait" style={part(waiting)} />}
      {failed > 0 && <u style={part(failed)} />}
    </i>
  );
}
