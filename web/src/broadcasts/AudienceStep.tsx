import { Button, Checkbox, MultiSelect, SegmentedControl, Select, TextInput } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { send } from "../api/client";
import { useNumber } from "../api/numbers";
import { labelsQuery } from "../api/queries";
import type { Label } from "../api/types";
import { useLanguage } from "../i18n";
import { Panel } from "../settings/Section";
import { toastError } from "../ui/toasts";
import { audienceOf, chosenOf, type Chosen, type Seen, type Who } from "./audience";
import styles from "./Broadcasts.module.css";
import { pathOf, type Broadcast } from "./data";
import { ListPanel } from "./ListPanel";
import { useBroadcasts } from "./text";
import { Unsaved } from "../ui/Unsaved";

/** Whom it goes to: contacts, a list, or both. */
export function AudienceStep({ broadcast: b, done }: { broadcast: Broadcast; done: () => void }) {
  const t = useBroadcasts();
  const [chosen, setChosen] = useState(() => chosenOf(b.audience));
  const [busy, setBusy] = useState(false);
  const [unsaved, setUnsaved] = useState(false);
  const client = useQueryClient();
  const narrow = useMediaQuery("(max-width: 560px)");
  const labels = useLabels(b.phone_number_id);
  const gone = chosen.who === "some" && chosen.labels.some((id) => labels?.every((label) => label.id !== id));
  const set = (change: Partial<Chosen>) => setChosen({ ...chosen, ...change });
  const empty = chosen.who === "some" && JSON.stringify(audienceOf(chosen)).includes('"label_ids":[]');
  const save = () => {
    setBusy(true);
    send("PATCH", pathOf(b), { audience: audienceOf(chosen) }).then(done, (error: unknown) => {
      toastError(error);
      void client.invalidateQueries({ queryKey: labelsQuery.queryKey }); // one of them may have been deleted meanwhile
    }).finally(() => setBusy(false));
  };
  return (
    <>
      <Unsaved is={unsaved || JSON.stringify(chosen) !== JSON.stringify(chosenOf(b.audience))} />
      <Panel title={t.contacts} hint={t.contactsHint}>
        <SegmentedControl aria-label={t.who} value={chosen.who} onChange={(who) => set({ who: who as Who })}
          data={Object.entries(t.whos).map(([value, label]) => ({ value, label }))} orientation={narrow ? "vertical" : "horizontal"} fullWidth={narrow} size={narrow ? "md" : undefined} />
        {chosen.who === "some" && <Filter labels={labels ?? []} gone={gone} chosen={chosen} set={set} />}
      </Panel>
      <ListPanel broadcast={b} unsaved={setUnsaved} />
      <div className={styles.foot}>
        {unsaved && <span className={styles.quiet} role="status">{t.unsavedList}</span>}
        <Button loading={busy} disabled={unsaved || empty || gone || (chosen.who === "none" && b.counts.total === 0)} onClick={save}>{t.next}</Button>
      </div>
    </>
  );
}

/** The labels of a number's team, once they are known. */
function useLabels(number: string): Label[] | undefined {
  const { number: found, coming } = useNumber(number);
  const all = useQuery(labelsQuery).data;
  return coming ? undefined : all?.filter((label) => label.team_id === found?.team_id);
}

interface FilterProps {
  labels: Label[];
  /** Whether one that was chosen has been deleted. */
  gone: boolean;
  chosen: Chosen;
  set: (change: Partial<Chosen>) => void;
}

function Filter({ labels, gone, chosen, set }: FilterProps) {
  const t = useBroadcasts();
  const language = useLanguage();
  const kept = chosen.kept?.seen_after ?? chosen.kept?.not_seen_since;
  const seens: Record<string, string> = kept
    ? { kept: (chosen.kept?.seen_after ? t.seenSince : t.notSeenSince)(new Intl.DateTimeFormat(language, { dateStyle: "medium" }).format(new Date(kept))), ...t.seens }
    : t.seens;
  const entries = (names: Record<string, string>) => Object.entries(names).map(([value, label]) => ({ value, label }));
  const deleted = gone ? Object.fromEntries(chosen.labels.map((id) => [id, t.deletedLabel])) : {};
  return (
    <div className={styles.filter}>
      <div className={styles.labels}>
        <MultiSelect label={t.labels} maxValues={20} placeholder={chosen.labels.length ? undefined : t.any} error={gone && t.deletedLabels} value={chosen.labels}
          onChange={(ids) => set({ labels: ids })} data={entries({ ...deleted, ...Object.fromEntries(labels.map(({ id, name }) => [id, name])) })} />
        {chosen.labels.length > 1 && <Checkbox label={t.allLabels} checked={chosen.all} onChange={(event) => set({ all: event.target.checked })} />}
      </div>
      <Select label={t.consent} clearable placeholder={t.any} value={chosen.consent} onChange={(consent) => set({ consent })} data={entries(t.consents)} />
      <Select label={t.seen} clearable placeholder={t.any} value={chosen.seen} onChange={(seen) => set({ seen: seen as Seen | null })} data={entries(seens)} />
      <TextInput label={t.searchIn} value={chosen.search} onChange={(event) => set({ search: event.target.value })} />
    </div>
  );
}
