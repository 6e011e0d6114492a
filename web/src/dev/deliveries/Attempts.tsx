import { Clock } from "../parts/Clock";
import styles from "../parts/console.module.css";
import { duration } from "../parts/format";
import { Time } from "../../ui/Time";
import { useDev } from "../text";
import type { Attempt, DeliveryDetail } from "./data";

function Answer({ attempt }: { attempt: Attempt }) {
  return (
    <li data-kind={attempt.error_code ? "bad" : undefined}>
      {attempt.response_status ?? attempt.error_code} · {duration(attempt.duration_ms)}
      <small>
        <Clock value={attempt.at} />
        {attempt.error_message && ` · ${attempt.error_message}`}
      </small>
      {attempt.response_body_snippet && <small className="mono">“{attempt.response_body_snippet}”</small>}
    </li>
  );
}

/** Every attempt, and when the next one is. */
export function Attempts({ delivery }: { delivery: DeliveryDetail }) {
  const t = useDev();
  return (
    <ul className={styles.times} aria-label={t.attempts}>
      {delivery.attempts.map((attempt) => (
        <Answer key={attempt.attempt} attempt={attempt} />
      ))}
      {delivery.next_attempt_at && (
        <li data-kind="wait">
          {t.nextAttempt} <Time value={delivery.next_attempt_at} relative />
        </li>
      )}
      {!delivery.next_attempt_at && delivery.status === "dead" && <li data-kind="bad">{t.noMoreAttempts(delivery.error_message ?? "")}</li>}
    </ul>
  );
}
