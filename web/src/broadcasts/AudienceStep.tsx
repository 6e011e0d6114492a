import { Button, Checkbox, MultiSelect, SegmentedControl, Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { send } from "../api/client";
import { labelsQuery, useMe } from "../api/queries";
import { useLanguage } from "../i18n";
import { Panel } from "../settings/Section";
import { toastError } from "../ui/toasts";
import { audienceOf, chosenOf, type Chosen, type Seen, type Who } from "./audience";
import styles from "./Broadcasts.module.css";
import { pathOf, type Broadcast } from "./data";
import { ListPanel } from "./ListPanel";
import { useBroadcasts } from "./text";
import { Unsaved } from "./Unsaved";

/** Whom it goes to: contacts, a list, or both. */
export function AudienceStep({ broadcast: b, done }: { broadcast: Broadcast; done: () => void }) {
  const t = useBroadcasts();
  const [chosen, setChosen] = useState(() => chosenOf(b.audience));
  const [busy, setBusy] = useState(false);
  const [unsaved, setUnsaved] = useState(false);
  const narrow = window.innerWidth < 560;
  const set = (change: Partial<Chosen>) => setChosen({ ...chosen, ...change });
  const empty = chosen.who === "some" && JSON.stringify(audienceOf(chosen)).includes('"label_ids":[]');
  const save = () => {
    setBusy(true);
    send("PATCH", pathOf(b), { audience: audienceOf(chosen) }).then(done, toastError).finally(() => setBusy(false));
  };
  return (
    <>
      <Unsaved is={unsaved || JSON.stringify(chosen) !== JSON.stringify(chosenOf(b.audience))} />
      <Panel title={t.contacts} hint={t.contactsHint}>
        <SegmentedControl aria-label={t.who} value={chosen.who} onChange={(who) => set({ who: who as Who })}
          data={Object.entries(t.whos).map(([value, label]) => ({ value, label }))} orientation={narrow ? "vertical" : "horizontal"} fullWidth={narrow} size={narrow ? "md" : undefined} />
        {chosen.who === "some" && <Filter number={b.phone_number_id} chosen={chosen} set={set} />}
      </Panel>
      <ListPanel broadcast={b} unsaved={setUnsaved} />
      <div className={styles.foot}>
        {unsaved && <span className={styles.quiet} role="status">{t.unsavedList}</span>}
        <Button loading={busy} disabled={unsaved || empty || (chosen.who === "none" && b.counts.total === 0)} onClick={save}>{t.next}</Button>
      </div>
    </>
  );
}

function Filter({ number, chosen, set }: { number: string; chosen: Chosen; set: (change: Partial<Chosen>) => void }) {
  const t = useBroadcasts();
  const team = useMe().numbers.find((n) => n.phone_number_id === number)?.team_id;
  const labels = (useQuery(labelsQuery).data ?? []).filter((label) => label.team_id === team);
  const language = useLanguage();
  const kept = chosen.kept?.seen_after ?? chosen.kept?.not_seen_since;
  const seens: Record<string, string> = kept
    ? { kept: (chosen.kept?.seen_after ? t.seenSince : t.notSeenSince)(new Intl.DateTimeFormat(language, { dateStyle: "medium" }).format(new Date(kept))), ...t.seens }
    : t.seens;
  const entries = (names: Record<string, string>) => Object.entries(names).map(([value, label]) => ({ value, label }));
  return (
    <div className={styles.filter}>
      <MultiSelect label={t.labels} maxValues={20} value={chosen.labels} onChange={(ids) => set({ labels: ids })}
        data={labels.map((label) => ({ value: label.id, label: label.name }))} />
      <Select label={t.consent} clearable placeholder={t.any} value={chosen.consent} onChange={(consent) => set({ consent })} data={entries(t.consents)} />
      <Select label={t.seen} clearable placeholder={t.any} value={chosen.seen} onChange={(seen) => set({ seen: seen as Seen | null })} data={entries(seens)} />
      <TextInput label={t.searchIn} value={chosen.search} onChange={(event) => set({ search: event.target.value })} />
      <Checkbox label={t.allLabels} checked={chosen.all} onChange={(event) => set({ all: event.target.checked })} />
    </div>
  );
}
