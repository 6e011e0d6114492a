import { Button, Select } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { get, list } from "../api/client";
import type { LabelRef } from "../api/types";
import { useText } from "../i18n";
import { Loaded } from "../ui/Loaded";
import { Modal } from "../ui/Modal";
import { toast, toastError } from "../ui/toasts";
import { LabelList } from "./ContactRow";
import styles from "./ContactPage.module.css";
import { mergeContact, nameOf, type Consent, type Contact } from "./data";

interface Preview {
  possible: boolean;
  name: string | null;
  phone_number: string | null;
  bsuid: string | null;
  email: string | null;
  marketing_consent: Consent;
  labels: LabelRef[];
  notes: number;
  conversations: number;
}

/** Makes one of two contacts, after showing what becomes of them. */
export function MergeDialog({ contact: c, close }: { contact: Contact; close: () => void }) {
  const t = useText("contacts");
  const common = useText("common");
  const client = useQueryClient();
  const navigate = useNavigate();
  const [typed, setTyped] = useState("");
  const [other, setOther] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const found = useQuery({
    queryKey: ["contacts", "merge", c.id, typed],
    queryFn: () => list<Contact>("/contacts", { query: { search: typed.trim() || undefined, number: c.number.phone_number_id, limit: 20 } }),
  }).data?.data ?? [];
  const preview = useQuery({
    queryKey: ["contacts", "preview", c.id, other],
    queryFn: () => get<Preview>(`/contacts/${c.id}/merge`, { query: { with: other } }),
    enabled: other !== null,
  });
  const merge = () => {
    setBusy(true);
    mergeContact(c, other ?? "").then(({ id }) => {
      toast(t.merged);
      void client.invalidateQueries({ queryKey: ["contacts"] });
      close();
      void navigate({ to: "/contacts/$id", params: { id }, replace: true });
    }, (error: unknown) => {
      setBusy(false);
      toastError(error);
    });
  };
  const choices = found.filter((one) => one.id !== c.id).map((one) => ({ value: one.id, label: [nameOf(one, t.noName), one.phone_number ?? one.bsuid].filter(Boolean).join(" · ") }));
  return (
    <Modal onClose={close} title={t.mergeTitle} size={560} closeButtonProps={{ "aria-label": common.close }}>
      <p>{t.mergeHint}</p>
      <Select data-autofocus label={t.mergeSearch} searchable data={choices} value={other} onChange={setOther} onSearchChange={setTyped} filter={({ options }) => options} />
      {other && <Loaded query={preview}>{(p) => <Result preview={p} />}</Loaded>}
      <div className={styles.actions} style={{ marginTop: 16 }}>
        <Button variant="default" onClick={close}>{common.cancel}</Button>
        <Button disabled={!preview.data?.possible} loading={busy} onClick={merge}>{t.merge}</Button>
      </div>
    </Modal>
  );
}

function Result({ preview: p }: { preview: Preview }) {
  const t = useText("contacts");
  if (!p.possible) return <p className={styles.bad} role="alert">{t.mergeImpossible}</p>;
  const rows: [string, string | null][] = [[t.name, p.name], [t.phone, p.phone_number], [t.bsuid, p.bsuid], [t.email, p.email]];
  return (
    <section aria-label={t.mergeResult} style={{ marginTop: 16 }}>
      <dl className={styles.known}>
        {rows.map(([name, value]) => value && <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}
        <div><dt>{t.consent}</dt><dd>{t.consents[p.marketing_consent]} <span className={styles.quiet}>{t.mergeConsent}</span></dd></div>
        <div><dt>{t.labels}</dt><dd><LabelList labels={p.labels} /></dd></div>
        <div><dt>{t.notes}</dt><dd>{t.mergeNotes(p.notes)}</dd></div>
      </dl>
      <p>{t.mergeConversations(p.conversations)} {t.mergeFinal}</p>
    </section>
  );
}
