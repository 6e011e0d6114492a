import { Button, Group, Select } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useIsAdmin } from "../api/queries";
import { useLanguage } from "../i18n";
import { Chips } from "../ui/Chips";
import { EmptyState } from "../ui/EmptyState";
import { PageTitle } from "../ui/PageTitle";
import { Icon } from "../ui/icons";
import { LinkButton } from "../ui/LinkButton";
import { NoNumber } from "../ui/NoNumber";
import { SearchField } from "../ui/SearchField";
import { toast, toastError } from "../ui/toasts";
import type { Category, State, TemplatesSearch } from "./address";
import { syncTemplates } from "./data";
import { DraftList } from "./DraftList";
import { languageChoices } from "./languages";
import { AccountSelect, OfAccount } from "./parts";
import { TemplateList } from "./TemplateList";
import styles from "./Templates.module.css";
import { useTemplateText } from "./text";

export default function TemplatesPage() {
  const t = useTemplateText();
  const search: TemplatesSearch = useSearch({ from: "/signed-in/templates" });
  const navigate = useNavigate();
  const set = (change: Partial<TemplatesSearch>) => void navigate({ to: "/templates", search: { ...search, ...change }, replace: true });
  const none = (
    <div className={styles.page}>
      <Head />
      <NoNumber icon="template">{t.noNumberHint}</NoNumber>
    </div>
  );
  return (
    <OfAccount wanted={search.number} none={none}>
      {(number) => (
        <div className={styles.page}>
          <Head number={number} />
          <Filters number={number} search={search} set={set} />
          {search.state === "draft" ? (
            <DraftList number={number} />
          ) : (
            <TemplateList number={number} search={search} clear={() => void navigate({ to: "/templates", search: { number: search.number }, replace: true })} none={<None number={number} />} />
          )}
        </div>
      )}
    </OfAccount>
  );
}

/** No template is there yet. Admins can write one, or look for those that the provider has. */
function None({ number }: { number: string }) {
  const t = useTemplateText();
  if (!useIsAdmin()) return <EmptyState icon="template" title={t.none}>{t.noneForAgents}</EmptyState>;
  const actions = (
    <Group gap={8} justify="center">
      <LinkButton to="/templates/new" search={{ number }}>{t.new}</LinkButton>
      <SyncButton number={number} />
    </Group>
  );
  return <EmptyState icon="template" title={t.none} action={actions}>{t.noneHint}</EmptyState>;
}

function Head({ number }: { number?: string }) {
  const t = useTemplateText();
  const admin = useIsAdmin();
  return (
    <header className={styles.head}>
      <div>
        <PageTitle>{t.title}</PageTitle>
        <p>{t.hint}</p>
      </div>
      {admin && number && (
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
      <SearchField className={styles.search} label={t.search} value={search.q} set={(q) => set({ q })} />
      <Chips label={t.state} value={search.state ?? "all"} names={states} choose={(state) => set({ state: state === "all" ? undefined : (state as State) })} />
      <div className={styles.selects}>
        {search.state !== "draft" && (
          <>
            <Select className={styles.narrow} aria-label={t.category} placeholder={t.category} clearable value={search.category ?? null}
              data={Object.entries(t.categories).map(([value, label]) => ({ value, label }))}
              onChange={(value) => set({ category: (value as Category | null) ?? undefined })} />
            <Select className={styles.narrow} aria-label={t.language} placeholder={t.language} clearable searchable value={search.language ?? null}
              data={languageChoices(reader, search.language)} onChange={(value) => set({ language: value ?? undefined })} />
          </>
        )}
        <AccountSelect number={number} set={(next) => set({ number: next })} />
      </div>
    </div>
  );
}
