import { Button, Textarea } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { send } from "../api/client";
import { useMe } from "../api/queries";
import { useText } from "../i18n";
import { Panel } from "../settings/Section";
import { Confirm } from "../ui/Confirm";
import { FormError } from "../ui/FormError";
import { Time } from "../ui/Time";
import { toastError } from "../ui/toasts";
import { Unsaved } from "../ui/Unsaved";
import { useSubmit } from "../ui/useSubmit";
import styles from "./ContactPage.module.css";
import type { ContactDetail } from "./data";

/** What colleagues wrote about the person. */
export function NotesPanel({ detail }: { detail: ContactDetail }) {
  const t = useText("contacts");
  const common = useText("common");
  const me = useMe();
  const client = useQueryClient();
  const { id } = detail.contact;
  const [body, setBody] = useState("");
  const refresh = () => client.invalidateQueries({ queryKey: ["contacts", "one", id] });
  const submit = useSubmit(["body"], () => send("POST", `/contacts/${id}/notes`, { body }), () => {
    setBody("");
    void refresh();
  });
  const [asked, ask] = useState<string>();
  const remove = () => {
    ask(undefined);
    void send("DELETE", `/contacts/${id}/notes/${asked}`).then(refresh, toastError);
  };
  return (
    <Panel title={t.notes} hint={t.notesHint}>
      <form {...submit.form}>
        <Unsaved is={body.trim() !== ""} />
        <FormError error={submit.error} />
        <Textarea label={t.noteField} autosize minRows={2} {...submit.field("body", body, setBody)} />
        <Button type="submit" variant="default" loading={submit.busy} disabled={body.trim() === ""}>{t.addNote}</Button>
      </form>
      {detail.notes.length === 0 ? (
        <p className={styles.quiet}>{t.noNotes}</p>
      ) : (
        <ul className={styles.plain} aria-label={t.notes} style={{ marginTop: 16 }}>
          {detail.notes.map((note) => (
            <li key={note.id}>
              <strong>{note.author.name}</strong>
              <span className={styles.quiet}>
                <Time value={note.created_at} /> {note.edited_at && `(${t.edited})`}
              </span>
              {note.author.id === me.user.id && (
                <Button variant="subtle" color="gray" size="compact-xs" onClick={() => ask(note.id)}>{t.deleteNote}</Button>
              )}
              <span className={styles.note}>{note.body}</span>
            </li>
          ))}
        </ul>
      )}
      {asked && (
        <Confirm title={common.deleteNoteTitle} hint={common.deleteNoteHint} action={common.delete} close={() => ask(undefined)} confirm={remove} />
      )}
    </Panel>
  );
}
