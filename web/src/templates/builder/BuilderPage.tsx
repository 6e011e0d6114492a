import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useLocation, useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useRef, useState, type FormEvent } from "react";
import { ApiError } from "../../api/client";
import { AdminsOnly } from "../../settings/AdminsOnly";
import { FormError } from "../../ui/FormError";
import { LinkButton } from "../../ui/LinkButton";
import { Loaded } from "../../ui/Loaded";
import { Missing } from "../../ui/Missing";
import { Unsaved } from "../../ui/Unsaved";
import { PageTitle } from "../../ui/PageTitle";
import { messageOf } from "../../ui/messages";
import { toast, toastError } from "../../ui/toasts";
import type { BuilderSearch } from "../address";
import { createTemplate, deleteDraft, draftQuery, editTemplate, historyQuery, saveDraft, versionsQuery } from "../data";
import { AccountSelect, OfAccount } from "../parts";
import { useTemplateText } from "../text";
import styles from "./Builder.module.css";
import { BuilderForm } from "./BuilderForm";
import { fieldOf, shownFields } from "./fields";
import { emptyForm, formOf, templateOf, withoutFiles, type Form } from "./form";
import { PhonePreview } from "./PhonePreview";

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** Which opening of the builder an address belongs to: its number and its draft may change meanwhile. */
    builder?: string;
  }
}

const useOpening = () => useLocation({ select: ({ state }) => state.builder ?? state.__TSR_key });

/** Writes a template: a new one, a change of one, one in another language, or on from a draft. */
export default function BuilderPage() {
  const search: BuilderSearch = useSearch({ from: "/signed-in/templates/new" });
  const opening = useOpening();
  return (
    <AdminsOnly>
      <OfAccount wanted={search.number}>{(number) => <Beginning key={opening} number={number} search={search} />}</OfAccount>
    </AdminsOnly>
  );
}

/** Waits for what the form begins with. */
function Beginning(now: { number: string; search: BuilderSearch }) {
  const t = useTemplateText();
  const [{ number, search }] = useState(now);
  const at = { number: now.number, draft: now.search.draft };
  const name = search.edit ?? search.copy ?? "";
  const versions = useQuery({ ...versionsQuery(number, name), enabled: name !== "" });
  const source = versions.data?.find((v) => v.language === search.language) ?? versions.data?.[0];
  const history = useQuery({ ...historyQuery(number, name, source?.language ?? ""), enabled: source !== undefined });
  const draft = useQuery({ ...draftQuery(number, search.draft ?? ""), enabled: search.draft !== undefined });
  const back = <LinkButton variant="default" to="/templates" search={{ number }}>{t.back}</LinkButton>;
  if (search.draft)
    return <Loaded query={draft} missing={<Missing page icon="template" title={t.draftMissing} back={back} />}>{(found) => <Builder {...at} title={t.draftTitle} begin={{ ...emptyForm, ...found.content }} />}</Loaded>;
  if (!name) return <Builder {...at} title={at.draft ? t.draftTitle : t.newTitle} begin={emptyForm} />;
  return (
    <Loaded query={versions}>
      {() => {
        if (!source) return <Missing page icon="template" title={t.missing} back={back}>{t.missingHint}</Missing>;
        if (!history.data && !history.isError) return null;
        const form = formOf(source, history.data?.samples);
        if (search.edit) return <Builder {...at} title={t.editTitle(name)} begin={form} edit={{ approved: source.status === "approved" }} />;
        const taken = new Set(versions.data?.map((v) => v.language));
        const language = ["en", "id", "es", "de", "fr"].find((code) => !taken.has(code)) ?? "";
        return <Builder {...at} title={at.draft ? t.draftTitle : t.copyTitle(name)} begin={{ ...form, language }} />;
      }}
    </Loaded>
  );
}

interface BuilderProps {
  number: string;
  title: string;
  begin: Form;
  edit?: { approved: boolean };
  draft?: string;
}

function Builder({ number, title, begin, edit, draft }: BuilderProps) {
  const t = useTemplateText();
  const navigate = useNavigate();
  const opening = useOpening();
  const page = useRef<HTMLFormElement>(null);
  const [form, setForm] = useState(begin);
  const [saved, setSaved] = useState(begin);
  const goOn = (search: BuilderSearch) =>
    void navigate({ to: "/templates/new", search, state: { builder: opening }, replace: true, ignoreBlocker: true });
  const submit = useSubmission(number, form, { edit: edit !== undefined, draft }, page);
  const keep = useDraft(number, form, draft, (kept, sent) => {
    setSaved(sent);
    if (!draft) goOn({ number, draft: kept });
  });
  const change = (next: Partial<Form>) => setForm((now) => ({ ...now, ...next }));
  const changeNumber = (next: string) => {
    setForm(withoutFiles);
    goOn({ number: next });
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (!submit.busy) submit.run();
  };
  return (
    <div className={styles.page}>
      <Unsaved is={JSON.stringify(form) !== JSON.stringify(saved)} />
      <nav className={styles.back}>
        <Link to="/templates" search={{ number }}>{t.back}</Link>
      </nav>
      <header className={styles.head}>
        <PageTitle>{title}</PageTitle>
        {edit?.approved && <p>{t.editLimit}</p>}
      </header>
      <form ref={page} className={styles.columns} onSubmit={onSubmit} noValidate>
        <div className={styles.fields}>
          {submit.error !== undefined && <FormError error={submit.error} text={submit.beside ? t.fixFirst : undefined} />}
          {!edit && !draft && <AccountSelect label={t.number} number={number} set={changeNumber} />}
          <BuilderForm number={number} form={form} fixed={{ identity: edit !== undefined, category: edit?.approved ?? false }} errorOf={submit.errorOf} change={change} />
        </div>
        <aside className={styles.aside}>
          <h2>{t.preview}</h2>
          <PhonePreview form={form} label={t.preview} />
        </aside>
        <footer className={styles.foot}>
          {draft && <Button variant="subtle" color="red" onClick={keep.throwAway}>{t.throwAway}</Button>}
          <span className={styles.space} />
          {!edit && <Button variant="default" loading={keep.busy} onClick={keep.save}>{t.saveDraft}</Button>}
          <Button type="submit" loading={submit.busy}>{t.submit}</Button>
        </footer>
      </form>
    </div>
  );
}

/** Submits the template. What the server objects to is shown beside its field, which gets the focus. */
function useSubmission(number: string, form: Form, { edit, draft }: { edit: boolean; draft?: string }, page: React.RefObject<HTMLFormElement | null>) {
  const t = useTemplateText();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [failed, setFailed] = useState<{ error: unknown; field?: string }>();
  const { mutate, isPending } = useMutation({
    mutationFn: () => (edit ? editTemplate(number, templateOf(form)) : createTemplate(number, templateOf(form))),
    onSuccess: async ({ name }) => {
      toast(t.submitted(name));
      if (draft) await deleteDraft(number, draft).catch(toastError);
      await client.invalidateQueries({ queryKey: ["templates"] });
      void navigate({ to: "/templates/$name", params: { name }, search: { number }, ignoreBlocker: true });
    },
    onError: (error) => {
      const field = error instanceof ApiError ? fieldOf(form, error.param) : undefined;
      setFailed({ error, field: field && shownFields(form).has(field) ? field : undefined });
    },
  });
  useEffect(() => {
    if (!failed) return;
    const find = (selector: string) => page.current?.querySelector<HTMLElement>(selector);
    const marked = find("[aria-invalid=true]") ?? find("[role=alert]");
    marked?.focus();
    marked?.scrollIntoView({ block: "center" });
  }, [failed, page]);
  return {
    busy: isPending,
    run: () => {
      setFailed(undefined);
      mutate();
    },
    error: failed?.error,
    beside: failed?.field !== undefined,
    errorOf: (field: string) => (failed && failed.field === field ? messageOf(failed.error) : undefined),
  };
}

function useDraft(number: string, form: Form, id: string | undefined, saved: (id: string, sent: Form) => void) {
  const t = useTemplateText();
  const client = useQueryClient();
  const navigate = useNavigate();
  const again = () => client.invalidateQueries({ queryKey: ["templates", "drafts"] });
  const { mutate, isPending } = useMutation({
    mutationFn: (sent: Form) => saveDraft(number, id, sent),
    onSuccess: (kept, sent) => {
      toast(t.draftSaved);
      client.setQueryData(draftQuery(number, kept.id).queryKey, kept);
      void again();
      saved(kept.id, sent);
    },
    onError: toastError,
  });
  const throwAway = () =>
    void (id && deleteDraft(number, id).then(async () => {
      toast(t.draftDeleted);
      await again();
      await navigate({ to: "/templates", search: { number, state: "draft" }, ignoreBlocker: true });
    }, toastError));
  return { busy: isPending, save: () => mutate(form), throwAway };
}
