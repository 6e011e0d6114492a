import { Button, Checkbox, MultiSelect, SegmentedControl, Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { send } from "../api/client";
import { labelsQuery, useMe } from "../api/queries";
import { Panel } from "../settings/Section";
import { toastError } from "../ui/toasts";
import { filterOf } from "../contacts/data";
import styles from "./Broadcasts.module.css";
import { pathOf, type Broadcast, type ContactFilter } from "./data";
import { ListPanel } from "./ListPanel";
import { useBroadcasts } from "./text";

type Who = "none" | "all" | "some";
type Seen = "7d" | "30d" | "not30d" | "never";

interface Chosen {
  who: Who;
  labels: string[];
  all: boolean;
  consent: string | null;
  seen: Seen | null;
  search: string;
}

/** What a draft's audience says. When somebody was seen is kept as an instant, and cannot be told from one. */
function chosenOf({ label_ids, match, filter }: Broadcast["audience"]): Chosen {
  const labels = filter?.label_ids ?? label_ids;
  const none = { who: "none" as Who, labels, all: filter ? filter.all_labels === true : match === "all", consent: filter?.consent ?? null, seen: null, search: filter?.search ?? "" };
  if (filter && !Object.values(filter).some(Boolean)) return { ...none, who: "all" };
  return { ...none, seen: filter?.never_seen ? "never" : null, who: filter || labels.length > 0 ? "some" : "none" };
}

function audienceOf(c: Chosen) {
  if (c.who === "none") return { label_ids: [] };
  if (c.who === "all") return { filter: {} };
  const { seen_after, not_seen_since, never_seen } = filterOf({ seen: c.seen ?? undefined });
  const rest = { consent: c.consent ?? undefined, search: c.search.trim() || undefined, seen_after, not_seen_since, never_seen };
  if (Object.values(rest).every((value) => value === undefined)) return { label_ids: c.labels, match: c.all ? "all" : "any" };
  const filter = { ...rest, label_ids: c.labels.length ? c.labels : undefined, all_labels: (c.all && c.labels.length > 0) || undefined };
  return { filter: filter as ContactFilter };
}

/** Whom it goes to: contacts, a list, or both. */
export function AudienceStep({ broadcast: b, done }: { broadcast: Broadcast; done: () => void }) {
  const t = useBroadcasts();
  const [chosen, setChosen] = useState(() => chosenOf(b.audience));
  const [busy, setBusy] = useState(false);
  const set = (change: Partial<Chosen>) => setChosen({ ...chosen, ...change });
  const empty = chosen.who === "some" && JSON.stringify(audienceOf(chosen)).includes('"label_ids":[]');
  const save = () => {
    setBusy(true);
    send("PATCH", pathOf(b), { audience: audienceOf(chosen) }).then(done, toastError).finally(() => setBusy(false));
  };
  return (
    <>
      <Panel title={t.contacts} hint={t.contactsHint}>
        <SegmentedControl aria-label={t.who} value={chosen.who} onChange={(who) => set({ who: who as Who })}
          data={Object.entries(t.whos).map(([value, label]) => ({ value, label }))} orientation={window.innerWidth < 560 ? "vertical" : "horizontal"} />
        {chosen.who === "some" && <Filter number={b.phone_number_id} chosen={chosen} set={set} />}
      </Panel>
      <ListPanel broadcast={b} />
      <div className={styles.foot}>
        <Button loading={busy} disabled={empty || (chosen.who === "none" && b.counts.total === 0)} onClick={save}>{t.next}</Button>
      </div>
    </>
  );
}

function Filter({ number, chosen, set }: { number: string; chosen: Chosen; set: (change: Partial<Chosen>) => void }) {
  const t = useBroadcasts();
  const team = useMe().numbers.find((n) => n.phone_number_id === number)?.team_id;
  const labels = (useQuery(labelsQuery).data ?? []).filter((label) => label.team_id === team);
  const entries = (names: Record<string, string>) => Object.entries(names).map(([value, label]) => ({ value, label }));
  return (
    <div className={styles.filter}>
      <MultiSelect label={t.labels} maxValues={20} value={chosen.labels} onChange={(ids) => set({ labels: ids })}
        data={labels.map((label) => ({ value: label.id, label: label.name }))} />
      <Select label={t.consent} clearable placeholder={t.any} value={chosen.consent} onChange={(consent) => set({ consent })} data={entries(t.consents)} />
      <Select label={t.seen} clearable placeholder={t.any} value={chosen.seen} onChange={(seen) => set({ seen: seen as Seen | null })} data={entries(t.seens)} />
      <TextInput label={t.searchIn} value={chosen.search} onChange={(event) => set({ search: event.target.value })} />
      <Checkbox label={t.allLabels} checked={chosen.all} onChange={(event) => set({ all: event.target.checked })} />
    </div>
  );
}
