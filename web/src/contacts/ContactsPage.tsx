import { Button, Checkbox, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { address } from "../api/client";
import { useIsAdmin } from "../api/queries";
import { useLanguage, useText } from "../i18n";
import { Icon } from "../ui/icons";
import { AddContact } from "./AddContact";
import { BulkBar } from "./BulkBar";
import { ContactFilters } from "./ContactFilters";
import styles from "./ContactsPage.module.css";
import { ContactTable, type Selection } from "./ContactTable";
import { countQuery, filterOf, type ContactsSearch } from "./data";

const nobody: Selection = { ids: new Set(), all: false };

export default function ContactsPage() {
  const t = useText("contacts");
  const search: ContactsSearch = useSearch({ from: "/signed-in/contacts" });
  const navigate = useNavigate();
  const [selection, select] = useState<Selection>(nobody);
  const count = useQuery(countQuery(search)).data;
  const set = (change: Partial<ContactsSearch>) => {
    select(nobody);
    void navigate({ to: "/contacts", search: { ...search, ...change }, replace: true });
  };
  return (
    <div className={styles.page}>
      <Head search={search} count={count} />
      <div className={styles.bar}>
        <SearchField value={search.q ?? ""} set={(q) => set({ q: q || undefined })} />
        <ContactFilters search={search} set={set} />
        <BulkBar search={search} selection={selection} count={count ?? 0} select={select} />
      </div>
      <div className={styles.names} aria-hidden="true">
        <Checkbox tabIndex={-1} checked={selection.all} onChange={(event) => select({ ids: new Set(), all: event.target.checked })} />
        <span>{t.name}</span>
        <span>{t.phone}</span>
        <span>{t.labels}</span>
        <span>{t.consent}</span>
        <span>{t.seen}</span>
        <span>{t.conversation}</span>
      </div>
      <ContactTable search={search} selection={selection} select={select} />
    </div>
  );
}

function Head({ search, count }: { search: ContactsSearch; count: number | undefined }) {
  const t = useText("contacts");
  const format = new Intl.NumberFormat(useLanguage());
  const admin = useIsAdmin();
  const [adding, setAdding] = useState(false);
  const shown = count === undefined ? "" : format.format(count) + (count >= 100_000 ? "+" : "");
  return (
    <header className={styles.head}>
      <h1>{t.title}</h1>
      <span className={styles.count} role="status">{count !== undefined && t.count(count, shown)}</span>
      <span className={styles.space} />
      {admin && (
        <>
          <Button variant="default" component={Link} to="/contacts/import">{t.importFile}</Button>
          <Button variant="default" component="a" href={address("/contacts/export", filterOf(search))} download>{t.exportFile}</Button>
          <Button leftSection={<Icon name="plus" size={18} />} onClick={() => setAdding(true)}>{t.add}</Button>
        </>
      )}
      {adding && <AddContact close={() => setAdding(false)} />}
    </header>
  );
}

/** Searches while one types, with a short rest for the server. */
function SearchField({ value, set }: { value: string; set: (q: string) => void }) {
  const t = useText("contacts");
  const [typed, setTyped] = useState(value);
  const later = useDebouncedCallback(set, 250);
  return (
    <TextInput className={styles.search} type="search" aria-label={t.search} placeholder={t.search} value={typed}
      leftSection={<Icon name="search" size={16} />}
      onChange={(event) => { setTyped(event.target.value); later(event.target.value); }} />
  );
}
