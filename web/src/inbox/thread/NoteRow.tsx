import { Button, Group, Menu, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { peopleQuery, useMe } from "../../api/queries";
import type { ThreadRef } from "../../api/types";
import { useText } from "../../i18n";
import { Confirm } from "../../ui/Confirm";
import { IconButton } from "../../ui/IconButton";
import { Parts } from "../../ui/Parts";
import { Icon } from "../../ui/icons";
import { Time } from "../../ui/Time";
import { toastError } from "../../ui/toasts";
import { useDeleteNote, useEditNote } from "../data/notes";
import { isStuck } from "../data/outbox";
import { useOutbox } from "../data/sending";
import { mentionsIn } from "../text/mentions";
import { NoteText } from "../text/NoteText";
import type { Row } from "./arrange";
import { Unsent } from "./MessageFailure";
import { Ticks } from "./Ticks";
import styles from "./NoteRow.module.css";

type NoteLine = Extract<Row, { kind: "note" }>;

/** What only the team sees. Its author can change it and take it away. */
export function NoteRow({ row, conversation }: { row: NoteLine; conversation: ThreadRef }) {
  const t = useText("inbox");
  const common = useText("common");
  const me = useMe();
  const [editing, setEditing] = useState(false);
  const [asking, setAsking] = useState(false);
  const remove = useDeleteNote(conversation.id);
  const unsaved = useOutbox().find((e) => e.key === row.id);
  const { note } = row;
  return (
    <article className={styles.note} data-key={row.key} aria-label={t.noteBy(note.author.name)}>
      <Icon name="lock" size={16} />
      <div className={styles.body}>
        {editing ? (
          <Editor row={row} conversation={conversation} done={() => setEditing(false)} />
        ) : (
          <NoteText note={note} />
        )}
        <small>
          <Parts>
            {note.author.name}
            <Time value={row.at} ofDay />
            {note.edited_at && t.edited}
            {t.noteHint}
          </Parts>
          {unsaved && !isStuck(unsaved) && <> <Ticks status="queued" /></>}
        </small>
        {unsaved && isStuck(unsaved) && <Unsent entry={unsaved} />}
      </div>
      {note.author.id === me.user.id && !editing && !unsaved && (
        <Menu position="bottom-end">
          <Menu.Target>
            <IconButton icon="dots" label={t.noteMenu} iconSize={16} size={28} />
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => setEditing(true)}>{common.edit}</Menu.Item>
            <Menu.Item onClick={() => setAsking(true)}>{common.delete}</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
      {asking && (
        <Confirm
          title={common.deleteNoteTitle}
          hint={common.deleteNoteHint}
          action={common.delete}
          close={() => setAsking(false)}
          confirm={() => {
            setAsking(false);
            remove.mutate(row.id, { onError: toastError });
          }}
        />
      )}
    </article>
  );
}

function Editor({ row, conversation, done }: { row: NoteLine; conversation: ThreadRef; done: () => void }) {
  const t = useText("inbox");
  const common = useText("common");
  const [body, setBody] = useState(row.note.body);
  const edit = useEditNote(conversation.id);
  const people = useQuery(peopleQuery).data;
  const save = () => {
    const mentions = people ? mentionsIn(body, people) : row.note.mentions;
    edit.mutate({ id: row.id, body, mentions }, { onSuccess: done, onError: toastError });
  };
  return (
    <>
      <Textarea
        aria-label={t.note}
        autosize
        minRows={2}
        value={body}
        onChange={(event) => setBody(event.target.value)}
      />
      <Group gap={6} my={6}>
        <Button size="compact-sm" disabled={!body.trim()} loading={edit.isPending} onClick={save}>
          {common.save}
        </Button>
        <Button size="compact-sm" variant="default" onClick={done}>
          {common.cancel}
        </Button>
      </Group>
    </>
  );
}
