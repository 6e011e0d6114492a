import { SegmentedControl } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useLocation } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { figuresQuery, ranges, type Range } from "../home/data";
import { useLanguage } from "../i18n";
import { Panel } from "../settings/Section";
import { Loaded } from "../ui/Loaded";
import { More } from "../ui/More";
import { phoneOf } from "../ui/phone";
import { useReason } from "../ui/reasons";
import { Time } from "../ui/Time";
import { failuresQuery, type FailedMessage } from "./data";
import styles from "./Numbers.module.css";
import { useNumbers } from "./text";

const route = getRouteApi("/signed-in/numbers/$number");

/** Why messages of a number failed, and which. The time and the reason are in the address. */
export function FailuresPanel({ id }: { id: string }) {
  const t = useNumbers();
  const { days = 7, code } = route.useSearch();
  const navigate = route.useNavigate();
  const figures = useQuery(figuresQuery(days, id));
  const choose = (next: { days?: Range; code?: string }) => void navigate({ search: next, replace: true, resetScroll: false });
  const box = useRef<HTMLDivElement>(null);
  const wanted = useLocation({ select: (place) => place.hash === "failures" });
  useEffect(() => {
    if (wanted) box.current?.scrollIntoView();
  }, [wanted]);
  return (
    <div ref={box}>
      <Panel title={t.failures} hint={t.failuresHint}>
        <div className={styles.bar}>
          <SegmentedControl
            aria-label={t.range}
            value={String(days)}
            data={ranges.map((n) => ({ value: String(n), label: t.days(n) }))}
            onChange={(value) => choose({ days: Number(value) as Range, code })}
          />
        </div>
        <Loaded query={figures} rows={1}>
          {({ failures }) => <Reasons failures={failures} code={code} choose={(next) => choose({ days, code: next })} />}
        </Loaded>
        <FailedList id={id} days={days} code={code} />
      </Panel>
    </div>
  );
}

function Reasons(props: { failures: { code: string; count: number }[]; code: string | undefined; choose: (code: string | undefined) => void }) {
  const t = useNumbers();
  const reason = useReason();
  const number = new Intl.NumberFormat(useLanguage());
  if (props.failures.length === 0) return null;
  const all = props.failures.reduce((sum, f) => sum + f.count, 0);
  return (
    <ul className={styles.reasons}>
      <li>
        <button type="button" aria-pressed={!props.code} onClick={() => props.choose(undefined)}>
          {t.allReasons} <b>{number.format(all)}</b>
        </button>
      </li>
      {props.failures.map((f) => (
        <li key={f.code}>
          <button type="button" aria-pressed={props.code === f.code} onClick={() => props.choose(f.code)}>
            <span title={f.code}>{reason(f.code)}</span> <b>{number.format(f.count)}</b>
          </button>
        </li>
      ))}
    </ul>
  );
}

function FailedList({ id, days, code }: { id: string; days: Range; code: string | undefined }) {
  const t = useNumbers();
  const query = useInfiniteQuery(failuresQuery(id, days, code));
  const rows = query.data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <>
      {query.data && rows.length === 0 && <p className={styles.note}>{t.noFailures}</p>}
      <ul className={styles.failed} aria-label={t.failed}>
        {rows.map((m) => <Failed key={m.id} message={m} />)}
      </ul>
      <More query={query} text={t.more} />
    </>
  );
}

function Failed({ message: m }: { message: FailedMessage }) {
  const reason = useReason();
  return (
    <li>
      <Link to="/inbox/$view/{-$conversation}" params={{ view: "all", conversation: m.conversation_id }}>
        {m.name || phoneOf(m.to) || m.id}
      </Link>
      <Time value={m.created_at} />
      <p>
        {reason(m.error_code)} · <span className="mono">{m.error_code}</span>
        {m.provider_code ? ` (${m.provider_code})` : ""}
      </p>
      <p lang="en">{m.error_message}</p>
    </li>
  );
}
