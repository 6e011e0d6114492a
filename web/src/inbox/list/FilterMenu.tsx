import { Button, Checkbox, Indicator, Popover, Select, Tooltip } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { labelsQuery, peopleQuery, useMe } from "../../api/queries";
import type { InboxSearch } from "../address";
import { useText } from "../../i18n";
import { IconButton } from "../../ui/IconButton";
import { usePlace } from "../place";
import styles from "./FilterMenu.module.css";

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
      <Popover.Dropdown>{opened && <Filters />}</Popover.Dropdown>
    </Popover>
  );
}

function Filters() {
  const t = useText("inbox");
  const me = useMe();
  const { search, show } = usePlace();
  const labels = useQuery(labelsQuery).data ?? [];
  const people = useQuery(peopleQuery).data ?? [];
  const set = (change: InboxSearch) => show({ search: { ...search, ...change, item: undefined } });
  const choose = <Name extends "status" | "number" | "label_id" | "assigned_to" | "sort">(
    name: Name,
    label: string,
    data: { value: string; label: string }[],
    otherwise: string,
  ) => (
    <Select
      label={label}
      data={data}
      value={search[name] ?? null}
      placeholder={otherwise}
      clearable
      comboboxProps={{ withinPortal: false }}
      onChange={(value) => set({ [name]: value ?? undefined })}
    />
  );
  return (
    <div className={styles.filters}>
      {choose(
        "status",
        t.status_,
        Object.entries(t.statuses).map(([value, label]) => ({ value, label })),
        t.statuses.open,
      )}
      {choose(
        "number",
        t.number,
        me.numbers.map((n) => ({ value: n.phone_number_id, label: n.name || (n.phone_number ?? n.phone_number_id) })),
        t.any,
      )}
      {choose(
        "label_id",
        t.label,
        labels.map((l) => ({ value: l.id, label: l.name })),
        t.any,
      )}
      {choose(
        "assigned_to",
        t.assignee,
        people.map((p) => ({ value: p.id, label: p.name })),
        t.any,
      )}
      {choose(
        "sort",
        t.sort,
        Object.entries(t.sorts).map(([value, label]) => ({ value, label })),
        t.sorts.newest,
      )}
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
