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
import { callsQuery, kindOf, type Call } from "./data";

function CallRow({ call, open }: { call: Call; open: boolean }) {
  return (
    <tr data-open={open ? "" : undefined}>
      <td>
        <span className={styles.state} data-kind={kindOf(call.status)}>
          {call.status}
        </span>
      </td>
      <td>{call.method}</td>
      <td className={styles.wide}>
        <OpenLink id={call.id}>
          <span className="mono">{call.path}</span>
        </OpenLink>{" "}
        {call.code && <small>{call.code}</small>}
      </td>
      <td className={`${styles.right} ${styles.hide}`}>{duration(call.latency_ms)}</td>
      <td className={styles.right}>
        <Clock value={call.created_at} />
      </td>
    </tr>
  );
}

export function CallTable({ filter, open }: { filter: Filters; open: string | undefined }) {
  const t = useDev();
  const query = useInfiniteQuery(callsQuery(filter));
  if (query.isPending) return <div className={styles.pending}><RowsSkeleton /></div>;
  if (query.isLoadingError) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  const calls = query.data?.pages.flatMap((page) => page.data) ?? [];
  if (query.isSuccess && calls.length === 0 && !query.hasNextPage) {
    return <Nothing icon="code" title={t.callsNone} hint={t.callsNoneHint} first={<LinkButton to="/dev/reference">{t.tryAPI}</LinkButton>} />;
  }
  return (
    <>
      <table className={styles.table} aria-label={t.log}>
        <thead>
          <tr>
            <th>{t.status}</th>
            <th>{t.method}</th>
            <th>{t.path}</th>
            <th className={`${styles.right} ${styles.hide}`}>{t.took}</th>
            <th className={styles.right}>{t.when}</th>
          </tr>
        </thead>
        <tbody>
          {calls.map((call) => (
            <CallRow key={call.id} call={call} open={call.id === open} />
          ))}
        </tbody>
      </table>
      <More query={query} found={calls.length} />
    </>
  );
}
