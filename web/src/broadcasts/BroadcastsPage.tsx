import { Button, Progress, Select } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { useNumber } from "../api/numbers";
import { useMe } from "../api/queries";
import { useLanguage } from "../i18n";
import { EmptyState } from "../ui/EmptyState";
import { Icon } from "../ui/icons";
import { Loaded } from "../ui/Loaded";
import { More } from "../ui/More";
import { NoneFound } from "../ui/NoneFound";
import { Time } from "../ui/Time";
import { keepList, type BroadcastsSearch } from "./address";
import styles from "./Broadcasts.module.css";
import { broadcastsQuery, type Broadcast } from "./data";
import { Frame, State } from "./Frame";
import { useBroadcasts } from "./text";
import { NumberSelect } from "../ui/NumberSelect";
import { numberName } from "../ui/phone";

export default function BroadcastsPage() {
  const t = useBroadcasts();
  const me = useMe();
  const search: BroadcastsSearch = useSearch({ from: "/signed-in/broadcasts" });
  const navigate = useNavigate();
  useEffect(() => keepList(search), [search]);
  const set = (change: BroadcastsSearch) => void navigate({ to: "/broadcasts", search: { ...search, ...change }, replace: true });
  return (
    <Frame title={t.title} hint={t.hint} action={<Add />}>
      <div className={styles.bar}>
        <Select label={t.state} placeholder={t.any} clearable value={search.status ?? null} onChange={(status) => set({ status: status ?? undefined })}
          data={Object.entries(t.statuses).map(([value, label]) => ({ value, label }))} />
        {me.numbers.length > 1 && (
          <NumberSelect label={t.number} any={t.allNumbers} value={search.number} onChange={(number) => set({ number })} />
        )}
      </div>
      <Broadcasts number={search.number} status={search.status} clear={() => set({ status: undefined, number: undefined })} />
    </Frame>
  );
}

function Add() {
  const t = useBroadcasts();
  return <Button component={Link} to="/broadcasts/new" leftSection={<Icon name="plus" size={18} />}>{t.add}</Button>;
}

function Broadcasts({ number, status, clear }: BroadcastsSearch & { clear: () => void }) {
  const t = useBroadcasts();
  const query = useInfiniteQuery(broadcastsQuery({ number, status }));
  return (
    <Loaded query={query}>
      {({ pages }) => (
        <>
          <List rows={pages.flatMap((page) => page.data)} filtered={status !== undefined || number !== undefined} clear={clear} />
          <More mt={12} query={query} text={t.older} />
        </>
      )}
    </Loaded>
  );
}

function List({ rows, filtered, clear }: { rows: Broadcast[]; filtered: boolean; clear: () => void }) {
  const t = useBroadcasts();
  if (rows.length === 0) {
    return filtered ? <NoneFound icon="horn" title={t.noneFound} clear={clear} /> : <EmptyState icon="horn" title={t.none} action={<Add />}>{t.noneHint}</EmptyState>;
  }
  return (
    <ul className={styles.list} aria-label={t.title}>
      {rows.map((b) => <li key={b.id}><Row broadcast={b} /></li>)}
    </ul>
  );
}

function Row({ broadcast: b }: { broadcast: Broadcast }) {
  const t = useBroadcasts();
  const { number } = useNumber(b.phone_number_id);
  const [word, at] = b.started_at ? [t.started, b.started_at] : b.scheduled_at ? [t.starts, b.scheduled_at] : [t.created, b.created_at];
  return (
    <Link to="/broadcasts/$id" params={{ id: b.id }} className={styles.row}>
      <span>
        <span className={styles.name}>{b.name}</span>
        <span className={`${styles.quiet} ${styles.cut}`}>{[b.template.name, number && numberName(number)].filter(Boolean).join(" · ")}</span>
      </span>
      <State broadcast={b} />
      <Counts broadcast={b} />
      <span className={`${styles.quiet} ${styles.right}`}>{word} <Time value={at} coming={word === t.starts} /></span>
    </Link>
  );
}

/** How far it is, and what became of the messages. The parts add up to the whole; read is a part of sent. */
function Counts({ broadcast: b }: { broadcast: Broadcast }) {
  const t = useBroadcasts();
  const format = new Intl.NumberFormat(useLanguage());
  const n = b.counts;
  const done = n.total - n.waiting;
  if (n.total === 0) return <span />;
  const parts = (["sent", "skipped", "failed", "waiting"] as const)
    .filter((part) => n[part] > 0)
    .map((part) => `${t.stages[part]} ${format.format(n[part])}`);
  if (n.read > 0) parts.push(`${t.stages.read} ${format.format(n.read)}`);
  return (
    <span>
      <span className={styles.quiet}>
        {b.started_at ? parts.join(" · ") : t.inList(format.format(n.total))}
      </span>
      {b.started_at && <Progress value={(100 * done) / n.total} size={6} aria-label={b.name} />}
    </span>
  );
}
