import styles from "../parts/console.module.css";
import type { DeliveryHead } from "../events/data";
import { useDev } from "../text";

const kinds = { succeeded: undefined, pending: "wait", failed: "bad", dead: "bad" } as const;

/** How a delivery stands, in a word or a number: the answer's status where there was one. */
export function DeliveryState({ delivery, plain }: { delivery: Pick<DeliveryHead, "status" | "response_status" | "error_code">; plain?: boolean }) {
  const t = useDev();
  const said =
    delivery.status === "pending" ? t.waiting : String(delivery.response_status ?? delivery.error_code ?? t.deliveryStates[delivery.status]);
  if (plain) return <>{said}</>;
  return (
    <span className={styles.state} data-kind={kinds[delivery.status]} title={t.deliveryStates[delivery.status]}>
      {said}
    </span>
  );
}
