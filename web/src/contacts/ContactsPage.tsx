import { Button, Checkbox } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { address } from "../api/client";
import { useIsAdmin, useSeesEverybody } from "../api/queries";
import { useLanguage, useText } from "../i18n";
import { PageTitle } from "../ui/PageTitle";
import { Icon } from "../ui/icons";
import { SearchField } from "../ui/SearchField";
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
  const [adding, setAdding] = useState(false);
  const count = useQuery(countQuery(search)).data;
  const set = (change: Partial<ContactsSearch>) => {
    select(nobody);
    void navigate({ to: "/contacts", search: { ...search, ...change }, replace: true });
  };
  const clear = () => {
    select(nobody);
    void navigate({ to: "/contacts", search: {}, replace: true });
  };
  return (
    <div className={styles.page}>
      <Head search={search} count={count} add={() => setAdding(true)} />
      <div className={styles.bar}>
        <SearchField className={styles.search} label={t.search} value={search.q} set={(q) => set({ q })} />
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
      <ContactTable search={search} selection={selection} select={select} clear={clear} add={() => setAdding(true)} />
      {adding && <AddContact close={() => setAdding(false)} />}
    </div>
  );
}

function Head({ search, count, add }: { search: ContactsSearch; count: number | undefined; add: () => void }) {
  const t = useText("contacts");
  const format = new Intl.NumberFormat(useLanguage());
  const admin = useIsAdmin();
  const everybody = useSeesEverybody();
  const shown = count === undefined ? "" : format.format(count) + (count >= 100_000 ? "+" : "");
  return (
    <header className={styles.head}>
      <PageTitle>{t.title}</PageTitle>
      <span className={styles.count} role="status">{count !== undefined && t.count(count, shown)}</span>
      <span className={styles.space} />
      {admin && (
        <>
          {everybody && <Button variant="default" component={Link} to="/contacts/import">{t.importFile}</Button>}
          <Button variant="default" component="a" href={address("/contacts/export", filterOf(search))} download>{t.exportFile}</Button>
          <Button leftSection={<Icon name="plus" size={18} />} onClick={add}>{t.add}</Button>
        </>
      )}
    </header>
  );
}
