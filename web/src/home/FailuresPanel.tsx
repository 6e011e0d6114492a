import { Link } from "@tanstack/react-router";
import { useMe } from "../api/queries";
import { Panel } from "../settings/Section";
import { useLanguage } from "../i18n";
import { useReason } from "../ui/reasons";
import { numberName } from "../ui/phone";
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

/** Of so many numbers with most failures a reason says how many each has. */
const mostListed = 20;

/** A reason. Those who may see the list of a number's failures get there by it. */
function Row({ failure: f, days, most }: { failure: Failure; days: Range; most: number }) {
  const t = useHome();
  const reason = useReason();
  const format = new Intl.NumberFormat(useLanguage());
  const { user } = useMe();
  const listed = user.role === "agent" ? [] : f.numbers.slice(0, mostListed);
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
              {numberName(n)} {format.format(n.count)}
            </Link>
          ))}
          {f.numbers.length > mostListed && t.moreNumbers(f.numbers.length - mostListed)}
        </span>
      )}
    </li>
  );
}
