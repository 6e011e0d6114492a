import { Button, Checkbox, Indicator, Popover, Select, Tooltip } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { labelsQuery, peopleQuery } from "../../api/queries";
import type { Named } from "../../api/types";
import type { InboxSearch } from "../address";
import { useText } from "../../i18n";
import { IconButton } from "../../ui/IconButton";
import { useLabelChoices } from "../../ui/labelNames";
import { usePlace } from "../place";
import styles from "./FilterMenu.module.css";
import { NumberSelect } from "../../ui/NumberSelect";

const own = ["status", "number", "label_id", "assigned_to", "unread", "sort"] as const;

/** Narrows and orders the list. All of it is in the address. */
export function FilterMenu() {
  const t = useText("inbox");
  const { search } = usePlace();
  const [opened, setOpened] = useState(false);
  const used = own.some((name) => search[name] !== undefined);
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-start" width={280} trapFocus returnFocus>
      <Popover.Target>
        <Tooltip label={t.filters}>
          <Indicator disabled={!used} size={8} offset={6}>
            <IconButton
              icon="filter"
              label={t.filters}
              size={32}
              aria-expanded={opened}
              onClick={() => setOpened(!opened)}
            />
          </Indicator>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown aria-label={t.filters} aria-labelledby={undefined}>{opened && <Filters />}</Popover.Dropdown>
    </Popover>
  );
}

type Filter = "status" | "label_id" | "assigned_to" | "sort";

interface Choice {
  value: string;
  label: string;
}

const choicesOf = (names: Record<string, string>): Choice[] => Object.entries(names).map(([value, label]) => ({ value, label }));
const namedChoices = (all: Named[]): Choice[] => all.map(({ id, name }) => ({ value: id, label: name }));

function Filters() {
  const t = useText("inbox");
  const { search, show } = usePlace();
  const labels = useLabelChoices(useQuery(labelsQuery).data ?? []);
  const people = useQuery(peopleQuery).data ?? [];
  const set = (change: InboxSearch) => show({ search: { ...search, ...change, item: undefined } });
  const filter = (name: Filter, label: string, data: Choice[], placeholder: string) => (
    <Select
      label={label}
      data={data}
      value={search[name] ?? null}
      placeholder={placeholder}
      clearable
      comboboxProps={{ withinPortal: false }}
      onChange={(value) => set({ [name]: value ?? undefined })}
    />
  );
  return (
    <div className={styles.filters}>
      {filter("status", t.status_, choicesOf(t.statuses), t.statuses.open)}
      <NumberSelect label={t.number} any={t.any} value={search.number} comboboxProps={{ withinPortal: false }} onChange={(number) => set({ number })} />
      {filter("label_id", t.label, labels, t.any)}
      {filter("assigned_to", t.assignee, namedChoices(people), t.any)}
      {filter("sort", t.sort, choicesOf(t.sorts), t.sorts.newest)}
      <Checkbox
        label={t.onlyUnread}
        checked={search.unread === true}
        onChange={(event) => set({ unread: event.target.checked || undefined })}
      />
      <Button variant="default" size="compact-md" onClick={() => show({ search: {} })}>
        {t.clearFilters}
      </Button>
    </div>
  );
}
