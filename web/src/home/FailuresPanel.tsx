import { Link } from "@tanstack/react-router";
import { useMe } from "../api/queries";
import { Panel } from "../settings/Section";
import { useLanguage } from "../i18n";
import { useReason } from "../ui/reasons";
import type { Figures, Range } from "./data";
import styles from "./HomePage.module.css";
import { useHome } from "./text";

type Failure = Figures["failures"][number];

export function FailuresPanel({ failures, days }: { failures: Failure[]; days: Range }) {
  const t = useHome();
  const most = Math.max(1, ...failures.map((f) => f.count));
  return (
    <Panel title={t.failures}>
      {failures.length === 0 && <p className={styles.hint}>{t.noFailures}</p>}
      <ul className={styles.failures}>
        {failures.map((f) => <Row key={f.code} failure={f} days={days} most={most} />)}
      </ul>
    </Panel>
  );
}

/** A reason. Those who may see the list of a number's failures get there by it. */
function Row({ failure: f, days, most }: { failure: Failure; days: Range; most: number }) {
  const reason = useReason();
  const format = new Intl.NumberFormat(useLanguage());
  const { user, numbers } = useMe();
  const named = (id: string) => numbers.find((n) => n.phone_number_id === id);
  const listed = user.role === "agent" ? [] : f.numbers.filter((n) => named(n.phone_number_id));
  const list = (id: string) => ({ to: "/numbers/$number" as const, params: { number: id }, search: { days, code: f.code }, hash: "failures" });
  const only = f.numbers.length === 1 ? listed[0] : undefined;
  return (
    <li>
      <span title={f.code}>{only ? <Link {...list(only.phone_number_id)}>{reason(f.code)}</Link> : reason(f.code)}</span>
      <span>{format.format(f.count)}</span>
      <span className={styles.failureBar} aria-hidden="true" style={{ width: `${(100 * f.count) / most}%` }} />
      {!only && listed.length > 0 && (
        <span className={styles.failureNumbers}>
          {listed.map((n) => (
            <Link key={n.phone_number_id} {...list(n.phone_number_id)}>
              {named(n.phone_number_id)?.name || named(n.phone_number_id)?.phone_number || n.phone_number_id} {format.format(n.count)}
            </Link>
          ))}
        </span>
      )}
    </li>
  );
}
