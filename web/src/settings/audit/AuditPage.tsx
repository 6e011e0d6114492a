import { ActionIcon, Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { address } from "../../api/client";
import { queryClient, usersQuery } from "../../api/queries";
import { Choice } from "../../dev/parts/Choice";
import { narrowingOf, useFilters, fromOf, type Filters } from "../../dev/parts/filters";
import { Icon } from "../../ui/icons";
import { AdminsOnly } from "../AdminsOnly";
import { Section } from "../Section";
import styles from "./AuditPage.module.css";
import { auditFilter, useAudit } from "./data";
import { Entries } from "./Entries";

function FilterBar({ filters, change }: { filters: Filters; change: (next: Filters) => void }) {
  const t = useAudit();
  const users = useQuery(usersQuery).data ?? [];
  const people = users.map((user) => ({ value: user.id, label: user.name }));
  // Somebody whom a link names, and who is in no list: a key, for example.
  const named = filters.by && filters.by !== "operator" && !users.some((user) => user.id === filters.by) ? [{ value: filters.by, label: filters.by }] : [];
  const actions = Object.entries(t.actions).map(([value, label]) => ({ value, label }));
  const spans = Object.entries(t.spans).map(([value, label]) => ({ value, label }));
  return (
    <div className={styles.bar} role="search">
      <Choice
        label={t.person}
        any={t.anybody}
        value={filters.by}
        options={[...people, ...named, { value: "operator", label: t.operator }]}
        change={(by) => change({ by })}
      />
      <Choice label={t.action} any={t.anything} value={filters.action} options={actions} change={(action) => change({ action })} />
      <Choice label={t.time} any={t.always} value={filters.since} options={spans} change={(since) => change({ since })} />
      {filters.object && (
        <Button variant="light" rightSection={<Icon name="close" size={16} />} onClick={() => change({ object: undefined, name: undefined })}>
          {t.onlyAbout(filters.name ?? filters.object)}
        </Button>
      )}
    </div>
  );
}

/** As of now: the page may have been open for a while. */
const exportOf = ({ since, ...filter }: Filters) => address("/audit/export", { ...filter, from: fromOf(since) });

function Audit() {
  const t = useAudit();
  const [filters, change] = useFilters();
  const filter = auditFilter(filters);
  const clear = () => change(Object.fromEntries([...narrowingOf(filters), "name"].map((name) => [name, undefined])));
  const actions = (
    <div className={styles.actions}>
      <ActionIcon variant="default" size={34} aria-label={t.refresh} onClick={() => void queryClient.invalidateQueries({ queryKey: ["audit"] })}>
        <Icon name="refresh" size={18} />
      </ActionIcon>
      <Button variant="default" component="a" href={exportOf(filter)} onClick={(event) => { event.currentTarget.href = exportOf(filter); }} download leftSection={<Icon name="download" size={18} />}>
        {t.export}
      </Button>
    </div>
  );
  return (
    <Section title={t.title} hint={t.hint} action={actions}>
      <FilterBar filters={filters} change={change} />
      <Entries filter={filter} clear={clear} about={(object, name) => change({ object, name })} by={(by) => change({ by })} />
    </Section>
  );
}

export default function AuditPage() {
  return (
    <AdminsOnly>
      <Audit />
    </AdminsOnly>
  );
}
