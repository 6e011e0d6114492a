import { Button, Select, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useIsAdmin } from "../api/queries";
import { useLanguage } from "../i18n";
import { Chips } from "../ui/Chips";
import { EmptyState } from "../ui/EmptyState";
import { Icon } from "../ui/icons";
import { LinkButton } from "../ui/LinkButton";
import { toast, toastError } from "../ui/toasts";
import type { Category, State, TemplatesSearch } from "./address";
import { syncTemplates, useNumber } from "./data";
import { DraftList } from "./DraftList";
import { languageChoices } from "./languages";
import { NumberSelect } from "./parts";
import { TemplateList } from "./TemplateList";
import styles from "./Templates.module.css";
import { useTemplateText } from "./text";

export default function TemplatesPage() {
  const t = useTemplateText();
  const search: TemplatesSearch = useSearch({ from: "/signed-in/templates" });
  const navigate = useNavigate();
  const number = useNumber(search.number)?.phone_number_id;
  const set = (change: Partial<TemplatesSearch>) => void navigate({ to: "/templates", search: { ...search, ...change }, replace: true });
  if (!number) return <EmptyState icon="template" title={t.noNumber}>{t.noNumberHint}</EmptyState>;
  return (
    <div className={styles.page}>
      <Head number={number} />
      <Filters number={number} search={search} set={set} />
      {search.state === "draft" ? <DraftList number={number} /> : <TemplateList number={number} search={search} />}
    </div>
  );
}

function Head({ number }: { number: string }) {
  const t = useTemplateText();
  return (
    <header className={styles.head}>
      <div>
        <h1>{t.title}</h1>
        <p>{t.hint}</p>
      </div>
      {useIsAdmin() && (
        <div className={styles.actions}>
          <SyncButton number={number} />
          <LinkButton to="/templates/new" search={{ number }} leftSection={<Icon name="plus" size={18} />}>{t.new}</LinkButton>
        </div>
      )}
    </header>
  );
}

/** Reads all templates from the provider, and says what was new. */
export function SyncButton({ number }: { number: string }) {
  const t = useTemplateText();
  const client = useQueryClient();
  const sync = useMutation({
    mutationFn: () => syncTemplates(number),
    onSuccess: (done) => {
      toast(t.synced(done.synced, done.created, done.updated, done.removed));
      void client.invalidateQueries({ queryKey: ["templates"] });
    },
    onError: toastError,
  });
  return (
    <Button variant="default" leftSection={<Icon name="refresh" size={16} />} loading={sync.isPending} onClick={() => sync.mutate()}>
      {t.sync}
    </Button>
  );
}

function Filters({ number, search, set }: { number: string; search: TemplatesSearch; set: (change: Partial<TemplatesSearch>) => void }) {
  const t = useTemplateText();
  const reader = useLanguage();
  const { draft, ...published } = t.states;
  const states = useIsAdmin() ? { ...published, draft: draft ?? "" } : published;
  return (
    <div className={styles.bar}>
      <SearchField value={search.q ?? ""} set={(q) => set({ q: q || undefined })} />
      <Chips label={t.state} value={search.state ?? "all"} names={states} choose={(state) => set({ state: state === "all" ? undefined : (state as State) })} />
      {search.state !== "draft" && (
        <>
          <Select className={styles.narrow} aria-label={t.category} placeholder={t.category} clearable value={search.category ?? null}
            data={Object.entries(t.categories).map(([value, label]) => ({ value, label }))}
            onChange={(value) => set({ category: (value as Category | null) ?? undefined })} />
          <Select className={styles.narrow} aria-label={t.language} placeholder={t.language} clearable searchable value={search.language ?? null}
            data={languageChoices(reader, search.language)} onChange={(value) => set({ language: value ?? undefined })} />
        </>
      )}
      <NumberSelect number={number} set={(next) => set({ number: next })} />
    </div>
  );
}

/** Searches while one types, with a short rest for the server. */
function SearchField({ value, set }: { value: string; set: (q: string) => void }) {
  const t = useTemplateText();
  const [typed, setTyped] = useState(value);
  const later = useDebouncedCallback(set, 250);
  return (
    <TextInput className={styles.search} type="search" aria-label={t.search} placeholder={t.search} value={typed}
      leftSection={<Icon name="search" size={16} />}
      onChange={(event) => { setTyped(event.target.value); later(event.target.value); }} />
  );
}
