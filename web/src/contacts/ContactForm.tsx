import { Button, MultiSelect, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { labelsQuery, useIsAdmin } from "../api/queries";
import { useText } from "../i18n";
import { FormError } from "../ui/FormError";
import { toast, toastError } from "../ui/toasts";
import { useEdited } from "../ui/useEdited";
import { useSubmit } from "../ui/useSubmit";
import { changeContact, setLabel, type Contact } from "./data";

interface Fields {
  name: string;
  email: string;
}

const fieldsOf = (c: Contact): Fields => ({ name: c.name ?? "", email: c.email ?? "" });

/** Only what differs is sent: a colleague may have changed the rest. */
export function changesOf(before: Fields, now: Fields): Record<string, string | null> {
  const names = (["name", "email"] as const).filter((name) => now[name] !== before[name]);
  return Object.fromEntries(names.map((name) => [name, now[name] || null]));
}

/** Name, e-mail and labels. Agents change the name and the labels. */
export function ContactForm({ contact: c }: { contact: Contact }) {
  const t = useText("contacts");
  const admin = useIsAdmin();
  const client = useQueryClient();
  const stored = fieldsOf(c);
  const { now, edit, saved } = useEdited(stored);
  const change = changesOf(stored, now);
  const submit = useSubmit(
    ["name", "email"],
    async () => {
      await changeContact(c, change);
      await client.invalidateQueries({ queryKey: ["contacts"] });
      return now;
    },
    (sent) => {
      saved(sent);
      toast(t.saved);
    },
  );
  return (
    <form {...submit.form}>
      <FormError error={submit.error} />
      <TextInput label={t.name} {...submit.field("name", now.name, (name) => edit({ name }))} />
      {admin && (
        <TextInput label={t.email} type="email" {...submit.field("email", now.email, (email) => edit({ email }))} />
      )}
      <Labels contact={c} />
      <Button type="submit" loading={submit.busy} disabled={Object.keys(change).length === 0}>{t.save}</Button>
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
