import { Select, TextInput } from "@mantine/core";
import styles from "./Broadcasts.module.css";
import type { Mapped, Source } from "./mapping";
import { useBroadcasts } from "./text";

/** What stands in one place of the template: where it comes from, and what stands there otherwise. */
export function PlaceField({ label, value, set }: { label: string; value: Mapped; set: (m: Mapped) => void }) {
  const t = useBroadcasts();
  const what = t.keys[value.source];
  return (
    <fieldset className={styles.field}>
      <legend>{label}</legend>
      <Select label={t.comesFrom} aria-label={t.source(label)} allowDeselect={false} value={value.source}
        onChange={(source) => set({ ...value, source: (source ?? "text") as Source, key: "" })}
        data={Object.entries(t.sources).map(([source, name]) => ({ value: source, label: name }))} />
      {what && (
        <TextInput label={what} aria-label={t.keyOf(label, what)} value={value.key} onChange={(event) => set({ ...value, key: event.target.value })} />
      )}
      {value.source !== "text" && (
        <TextInput label={t.fallback} aria-label={t.fallbackOf(label)} description={t.fallbackHint} inputWrapperOrder={["label", "input", "description"]}
          value={value.fallback} onChange={(event) => set({ ...value, fallback: event.target.value })} />
      )}
    </fieldset>
  );
}
