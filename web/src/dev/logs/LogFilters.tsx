import { TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { keysQuery } from "../keys/data";
import { Choice } from "../parts/Choice";
import styles from "../parts/console.module.css";
import type { Filters } from "../parts/filters";
import { Since } from "../parts/Since";
import { useDev } from "../text";

const methods = ["GET", "POST", "PATCH", "PUT", "DELETE"].map((value) => ({ value, label: value }));

/** A text to narrow by, which counts once Enter is pressed or the field is left. */
function Typed(props: { label: string; value: string | undefined; change: (value: string | undefined) => void }) {
  const [typed, setTyped] = useState(props.value ?? "");
  const take = (event?: FormEvent) => {
    event?.preventDefault();
    if (typed.trim() !== (props.value ?? "")) props.change(typed.trim() || undefined);
  };
  return (
    <form onSubmit={take} className={styles.filter}>
      <TextInput label={props.label} value={typed} onChange={(event) => setTyped(event.target.value)} onBlur={() => take()} />
    </form>
  );
}

export function LogFilters({ filters, change }: { filters: Filters; change: (next: Filters) => void }) {
  const t = useDev();
  const keys = useQuery(keysQuery).data ?? [];
  const statuses = (["failed", "2xx", "4xx", "5xx"] as const).map((value) => ({ value, label: t.statusRanges[value] }));
  const exact = filters.status && !statuses.some(({ value }) => value === filters.status) ? [{ value: filters.status, label: filters.status }] : [];
  return (
    <div className={styles.bar} role="search" aria-label={t.filters}>
      <Choice label={t.method} any={t.any} value={filters.method} options={methods} change={(method) => change({ method })} />
      <Choice label={t.status} any={t.any} value={filters.status} options={[...statuses, ...exact]} change={(status) => change({ status })} />
      <Typed key={`path ${filters.path}`} label={t.path} value={filters.path} change={(path) => change({ path })} />
      <Typed key={`code ${filters.code}`} label={t.code} value={filters.code} change={(code) => change({ code })} />
      <Choice
        label={t.key}
        any={t.any}
        value={filters.key_id}
        options={keys.map((key) => ({ value: key.id, label: key.name }))}
        change={(key_id) => change({ key_id })}
      />
      <Since value={filters.since} change={(since) => change({ since })} />
    </div>
  );
}
