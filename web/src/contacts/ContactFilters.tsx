import { Button, Checkbox, Indicator, MultiSelect, Popover, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { labelsQuery } from "../api/queries";
import { useText } from "../i18n";
import { useLabelChoices } from "../ui/labelNames";
import { Icon } from "../ui/icons";
import styles from "./ContactsPage.module.css";
import type { ContactsSearch } from "./data";
import { NumberSelect } from "../ui/NumberSelect";

type Set = (change: Partial<ContactsSearch>) => void;

/** Narrows and orders the list. All of it is in the address. */
export function ContactFilters({ search, set }: { search: ContactsSearch; set: Set }) {
  const t = useText("contacts");
  const [opened, setOpened] = useState(false);
  const used = Object.entries(search).some(([name, value]) => name !== "q" && value !== undefined);
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-start" width={300} trapFocus returnFocus>
      <Indicator disabled={!used} size={8} offset={4}>
        <Popover.Target>
          <Button variant="default" leftSection={<Icon name="filter" size={16} />} aria-expanded={opened} onClick={() => setOpened(!opened)}>
            {t.filters}
          </Button>
        </Popover.Target>
      </Indicator>
      <Popover.Dropdown>{opened && <Fields search={search} set={set} />}</Popover.Dropdown>
    </Popover>
  );
}

function Fields({ search, set }: { search: ContactsSearch; set: Set }) {
  const t = useText("contacts");
  const labels = useLabelChoices(useQuery(labelsQuery).data ?? []);
  const entries = (names: Record<string, string>) => Object.entries(names).map(([value, label]) => ({ value, label }));
  const choose = <Name extends "consent" | "seen" | "sort">(name: Name, label: string, data: { value: string; label: string }[], otherwise: string) => (
    <Select label={label} data={data} value={search[name] ?? null} placeholder={otherwise} clearable comboboxProps={{ withinPortal: false }}
      onChange={(value) => set({ [name]: value ?? undefined })} />
  );
  return (
    <div className={styles.filters}>
      <MultiSelect label={t.labels} data={labels} value={search.labels?.split(",") ?? []}
        placeholder={search.labels ? undefined : t.any} comboboxProps={{ withinPortal: false }} maxValues={20}
        onChange={(ids) => set({ labels: ids.length ? ids.join(",") : undefined })} />
      <Checkbox label={t.allLabels} checked={search.all === true} onChange={(event) => set({ all: event.target.checked || undefined })} />
      {choose("consent", t.consent, entries(t.consents), t.any)}
      <NumberSelect label={t.number} any={t.any} value={search.number} comboboxProps={{ withinPortal: false }} onChange={(number) => set({ number })} />
      {choose("seen", t.seen, entries(t.seens), t.any)}
      {choose("sort", t.sort, entries(t.sorts), t.sorts.newest)}
      <Button variant="default" size="compact-md"
        onClick={() => set({ labels: undefined, all: undefined, consent: undefined, number: undefined, seen: undefined, sort: undefined })}>
        {t.clear}
      </Button>
    </div>
  );
}
