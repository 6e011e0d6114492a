import { Button, MultiSelect, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { labelsQuery, useIsAdmin } from "../api/queries";
import { useText } from "../i18n";
import { FormError } from "../ui/FormError";
import { toast, toastError } from "../ui/toasts";
import { useSubmit } from "../ui/useSubmit";
import { changeContact, setLabel, type Contact } from "./data";

/** Name, e-mail and labels. Agents change the name and the labels. */
export function ContactForm({ contact: c }: { contact: Contact }) {
  const t = useText("contacts");
  const admin = useIsAdmin();
  const client = useQueryClient();
  const [name, setName] = useState(c.name ?? "");
  const [email, setEmail] = useState(c.email ?? "");
  const submit = useSubmit(
    ["name", "email"],
    () => changeContact(c, { name: name || null, ...(admin ? { email: email || null } : {}) }),
    () => {
      toast(t.saved);
      void client.invalidateQueries({ queryKey: ["contacts"] });
    },
  );
  const changed = name !== (c.name ?? "") || email !== (c.email ?? "");
  return (
    <form {...submit.form}>
      <FormError error={submit.error} />
      <TextInput label={t.name} {...submit.field("name", name, setName)} />
      {admin && (
        <TextInput label={t.email} type="email" {...submit.field("email", email, setEmail)} />
      )}
      <Labels contact={c} />
      <Button type="submit" loading={submit.busy} disabled={!changed}>{t.save}</Button>
    </form>
  );
}

/** Labels are put on and taken off at once. */
function Labels({ contact: c }: { contact: Contact }) {
  const t = useText("contacts");
  const client = useQueryClient();
  const labels = (useQuery(labelsQuery).data ?? []).filter((label) => label.team_id === c.team_id);
  const now = c.labels.map((label) => label.id);
  const change = async (ids: string[]) => {
    const added = ids.filter((id) => !now.includes(id));
    const removed = now.filter((id) => !ids.includes(id));
    try {
      for (const id of added) await setLabel(c, id, true);
      for (const id of removed) await setLabel(c, id, false);
    } catch (error) {
      toastError(error);
    }
    await client.invalidateQueries({ queryKey: ["contacts"] });
  };
  return (
    <MultiSelect label={t.labels} value={now} onChange={(ids) => void change(ids)}
      data={labels.map((label) => ({ value: label.id, label: label.name }))} />
  );
}
