import { Button, FileButton, Progress, Select, Textarea } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { send } from "../api/client";
import { useLanguage, useText } from "../i18n";
import { viewsQuery } from "../inbox/data/views";
import { Panel } from "../settings/Section";
import { toast, toastError } from "../ui/toasts";
import styles from "./Broadcasts.module.css";
import { Confirm } from "../ui/Confirm";
import { cut, decode, isText, numbersIn, phoneColumn, tableOf, type Table } from "./csv";
import { addRecipients, pathOf, peopleOf, type Broadcast, type NewRecipient } from "./data";
import { columnsOf, hasFallback } from "./mapping";
import { useBroadcasts } from "./text";

/** Adds people to a broadcast, a slice at a time. share is how much has been sent, while it is being sent. */
function useAdding(b: Broadcast, added: () => void) {
  const t = useBroadcasts();
  const format = new Intl.NumberFormat(useLanguage());
  const client = useQueryClient();
  const [share, setShare] = useState<number>();
  const fresh = () => void client.invalidateQueries({ queryKey: ["broadcast"] });
  const add = (rows: NewRecipient[]) => {
    setShare(0);
    addRecipients(b, rows, setShare)
      .then((n) => {
        toast(t.addedList(format.format(n.added), n.duplicate, n.invalid));
        added();
      }, toastError)
      .finally(() => {
        setShare(undefined);
        fresh();
      });
  };
  const empty = () => void send("DELETE", pathOf(b, "/recipients")).then(() => toast(t.emptied), toastError).finally(fresh);
  return { share, add, empty };
}

/** Where what had the focus has gone with a change, the next Tab leads on inside the box. */
function useFocusInside(change: unknown) {
  const box = useRef<HTMLDivElement>(null);
  const drawn = useRef(false);
  useEffect(() => {
    if (drawn.current && document.activeElement === document.body) box.current?.focus({ preventScroll: true });
    drawn.current = true;
  }, [change]);
  return box;
}

/** A list of one's own: from a file, pasted, or of a view. unsaved is told whether there are people who were chosen and not added yet. */
export function ListPanel({ broadcast: b, unsaved }: { broadcast: Broadcast; unsaved: (is: boolean) => void }) {
  const t = useBroadcasts();
  const [table, setTable] = useState<Table>();
  const [pasted, setPasted] = useState("");
  const [view, setView] = useState<string | null>(null);
  const { share, add, empty } = useAdding(b, () => {
    setTable(undefined);
    setPasted("");
    setView(null);
  });
  const waits = share !== undefined || table !== undefined || pasted.trim() !== "" || view !== null;
  useEffect(() => unsaved(waits), [unsaved, waits]);
  const box = useFocusInside([share === undefined, table === undefined, b.counts.total === 0].join());
  return (
    <Panel title={t.list} hint={share === undefined ? t.listHint : undefined}>
      <div ref={box} className={styles.step} role="group" aria-label={t.list} tabIndex={-1}>
        {share === undefined && b.counts.total > 0 && <InList count={b.counts.total} empty={empty} />}
        {share !== undefined ? (
          <div role="status">{t.adding} · {Math.floor(100 * share)}%<Progress value={100 * share} aria-label={t.adding} /></div>
        ) : table ? (
          <Columns broadcast={b} table={table} add={add} close={() => setTable(undefined)} />
        ) : (
          <div className={styles.fields}>
            <FileChoice choose={setTable} />
            <Pasted text={pasted} change={setPasted} add={add} />
            <FromView number={b.phone_number_id} id={view} choose={setView} add={add} />
          </div>
        )}
      </div>
    </Panel>
  );
}

/** How many are in the list already. It asks before they are thrown away: nobody else has the list. */
function InList({ count, empty }: { count: number; empty: () => void }) {
  const t = useBroadcasts();
  const shown = new Intl.NumberFormat(useLanguage()).format(count);
  const [asking, ask] = useState(false);
  const confirm = () => {
    ask(false);
    empty();
  };
  return (
    <>
      <p className={styles.inline}>
        <strong>{t.inList(shown)}</strong>
        <Button variant="default" size="compact-md" onClick={() => ask(true)}>{t.emptyList}</Button>
      </p>
      {asking && <Confirm title={t.emptyTitle} hint={t.emptyHint(count, shown)} action={t.emptyList} close={() => ask(false)} confirm={confirm} />}
    </>
  );
}

function FileChoice({ choose }: { choose: (table: Table) => void }) {
  const t = useBroadcasts();
  const read = (file: File | null) => {
    if (!file) return;
    file.arrayBuffer().then((bytes) => {
      const text = decode(bytes);
      const table = tableOf(text);
      if (!isText(text)) toast(t.noTable, { kind: "error" });
      else if (table.rows.length === 0) toast(t.emptyFile, { kind: "error" });
      else choose(table);
    }, toastError);
  };
  return (
    <div>
      <FileButton onChange={read} accept=".csv,.txt,.tsv,text/csv,text/plain" inputProps={{ "aria-label": t.file }}>
        {(props) => <Button variant="default" {...props}>{t.file}</Button>}
      </FileButton>
    </div>
  );
}

function Pasted({ text, change, add }: { text: string; change: (text: string) => void; add: (rows: NewRecipient[]) => void }) {
  const t = useBroadcasts();
  const numbers = numbersIn(text);
  return (
    <>
      <Textarea label={t.paste} description={t.pasteHint} autosize minRows={2} maxRows={8} value={text} onChange={(event) => change(event.target.value)} />
      <div>
        <Button variant="default" disabled={numbers.length === 0} onClick={() => add(numbers.map((to) => ({ to: cut(to, 100) })))}>{t.addNumbers}</Button>
      </div>
    </>
  );
}

/** The people of a saved view of the inbox, as they are now. */
function FromView({ number, id, choose, add }: { number: string; id: string | null; choose: (id: string | null) => void; add: (rows: NewRecipient[]) => void }) {
  const t = useBroadcasts();
  const format = new Intl.NumberFormat(useLanguage());
  const views = (useQuery(viewsQuery).data ?? []).filter(({ filter }) => !filter.number || filter.number === number);
  const view = views.find((v) => v.id === id);
  const people = useQuery({
    queryKey: ["broadcast", "view", id, number],
    queryFn: () => (view ? peopleOf(view, number) : []),
    enabled: view !== undefined,
    staleTime: 0,
  });
  const n = people.data?.length ?? 0;
  if (views.length === 0) return null;
  return (
    <>
      <Select label={t.view} clearable value={id} onChange={choose} data={views.map((v) => ({ value: v.id, label: v.name }))} />
      {view && (
        <div>
          <Button variant="default" loading={people.isFetching} disabled={n === 0} onClick={() => add(people.data ?? [])}>
            {n === 0 && people.isFetched ? t.emptyView : t.addPeople(n, format.format(n))}
          </Button>
        </div>
      )}
    </>
  );
}

/** Which column has the numbers, and which have what the message wants. */
function Columns({ broadcast: b, table, add, close }: { broadcast: Broadcast; table: Table; add: (rows: NewRecipient[]) => void; close: () => void }) {
  const t = useBroadcasts();
  const format = new Intl.NumberFormat(useLanguage());
  const common = useText("common");
  const wanted = columnsOf(b.template.components);
  const [phone, setPhone] = useState(() => phoneColumn(table));
  const [columns, setColumns] = useState<Record<string, number>>(() =>
    Object.fromEntries(wanted.map((key) => [key, table.columns.findIndex((c) => c.toLocaleLowerCase() === key.toLocaleLowerCase())])),
  );
  const choices = table.columns.map((name, i) => ({ value: String(i), label: table.rows[0]?.[i] ? `${cut(name, 60)} (${cut(table.rows[0][i], 60)})` : cut(name, 60) }));
  const rows = () =>
    table.rows.map((row) => ({
      to: cut((row[phone] ?? "").trim(), 100) || "-", // an empty number is recorded as wrong, like others
      // No template takes a text this long, and the rest of it need not be sent to be refused.
      variables: Object.fromEntries(wanted.flatMap((key) => (row[columns[key] ?? -1] ? [[key, cut(row[columns[key] ?? -1] ?? "", 4_096)]] : []))),
    }));
  return (
    <div className={styles.fields}>
      <strong>{t.rows(format.format(table.rows.length))}</strong>
      <div className={styles.filter}>
        <Select label={t.phoneColumn} allowDeselect={false} data={choices} value={phone < 0 ? null : String(phone)} onChange={(i) => setPhone(Number(i))} />
        {wanted.map((key) => (
          <Select key={key} label={t.columnOf(key)} clearable placeholder={t.noColumn} data={choices} inputWrapperOrder={["label", "input", "description"]}
            description={(columns[key] ?? -1) < 0 && !hasFallback(b.template.components, key) ? t.needsColumn : undefined}
            value={(columns[key] ?? -1) < 0 ? null : String(columns[key])}
            onChange={(i) => setColumns({ ...columns, [key]: i === null ? -1 : Number(i) })} />
        ))}
      </div>
      <div className={styles.inline}>
        <Button disabled={phone < 0} onClick={() => add(rows())}>{t.addRows(format.format(table.rows.length))}</Button>
        <Button variant="default" onClick={close}>{common.cancel}</Button>
      </div>
    </div>
  );
}
