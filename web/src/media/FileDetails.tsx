import { Button, Drawer } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useIsAdmin } from "../api/queries";
import { useText } from "../i18n";
import { CopyId } from "../inbox/context/CopyId";
import { sizeText } from "../inbox/thread/content/source";
import { FormDialog } from "../ui/Dialog";
import { Loaded } from "../ui/Loaded";
import { Missing } from "../ui/Missing";
import { Time } from "../ui/Time";
import { toast } from "../ui/toasts";
import { useSubmit } from "../ui/useSubmit";
import { deleteFile, fileQuery, usesQuery, type LibraryFile, type Uses } from "./data";
import { FileView } from "./FileView";
import styles from "./Media.module.css";
import { useMediaText } from "./text";

/** A file, what is known of it, and where it is used. */
export function FileDetails({ number, id, close }: { number: string; id: string; close: () => void }) {
  const t = useMediaText();
  const common = useText("common");
  const file = useQuery(fileQuery(number, id));
  return (
    <Drawer opened onClose={close} position="right" size={420} overlayProps={{ backgroundOpacity: 0.4 }} title={file.data?.filename ?? t.details} closeButtonProps={{ "aria-label": common.close }}>
      <Loaded query={file} missing={<Missing icon="image" title={t.missing} back={<Button variant="default" onClick={close}>{common.close}</Button>} />}>
        {(found) => <Details number={number} file={found} close={close} />}
      </Loaded>
    </Drawer>
  );
}

function Details({ number, file, close }: { number: string; file: LibraryFile; close: () => void }) {
  const t = useMediaText();
  const admin = useIsAdmin();
  const uses = useQuery(usesQuery(number, file.id));
  const [deleting, setDeleting] = useState(false);
  const name = file.filename ?? t.noName;
  return (
    <div className={styles.details}>
      <FileView file={file} name={name} />
      <dl className={styles.facts}>
        <dt>{t.id}</dt>
        <dd><CopyId value={file.id} /></dd>
        <dt>{t.type}</dt>
        <dd>{file.mime_type}</dd>
        <dt>{t.size}</dt>
        <dd>{sizeText(file.size)}</dd>
        <dt>{t.added}</dt>
        <dd><Time value={file.created_at} /></dd>
      </dl>
      <section>
        <h2>{t.usedIn}</h2>
        <Loaded query={uses} rows={1}>{(found) => <UseList uses={found} />}</Loaded>
      </section>
      <div className={styles.actions}>
        <Button variant="default" component="a" href={file.path} target="_blank" rel="noopener noreferrer">{t.download}</Button>
        {admin && uses.data && <Button variant="default" c="var(--red)" onClick={() => setDeleting(true)}>{t.delete}</Button>}
      </div>
      {deleting && uses.data && (
        <DeleteFile number={number} id={file.id} name={name} uses={uses.data} close={() => setDeleting(false)} done={close} />
      )}
    </div>
  );
}

function useLines(uses: Uses): string[] {
  const t = useMediaText();
  return [
    uses.replies.length > 0 && t.replies(uses.replies),
    uses.other_replies > 0 && t.otherReplies(uses.other_replies),
    uses.templates.length > 0 && t.templates(uses.templates.map((x) => `${x.name} (${x.language})`)),
    uses.template_drafts.length > 0 && t.drafts(uses.template_drafts.map((name) => name || t.noName)),
    uses.broadcasts.length > 0 && t.broadcasts(uses.broadcasts),
    uses.messages > 0 && t.messages(uses.messages),
  ].filter((line) => line !== false);
}

function UseList({ uses }: { uses: Uses }) {
  const t = useMediaText();
  const lines = useLines(uses);
  if (lines.length === 0) return <p className={styles.quiet}>{t.unused}</p>;
  return <ul className={styles.lines}>{lines.map((line) => <li key={line}>{line}</li>)}</ul>;
}

/** Says what becomes of everything that uses the file before it goes. */
function DeleteFile(props: { number: string; id: string; name: string; uses: Uses; close: () => void; done: () => void }) {
  const t = useMediaText();
  const client = useQueryClient();
  const { uses } = props;
  const follows = [
    (uses.replies.length > 0 || uses.other_replies > 0) && t.repliesLose,
    uses.template_drafts.length > 0 && t.draftsLose,
    uses.broadcasts.length > 0 && t.broadcastsFail,
    uses.templates.length > 0 && t.templatesKeep,
    uses.messages > 0 && t.messagesKeep,
  ].filter((line) => line !== false);
  const submit = useSubmit(
    [],
    () => deleteFile(props.number, props.id),
    () => {
      toast(t.deleted(props.name));
      props.done();
      void client.invalidateQueries({ queryKey: ["media", "list"] });
    },
  );
  return (
    <FormDialog title={t.deleteTitle(props.name)} action={t.delete} danger close={props.close} submit={submit}>
      <p>{follows.length > 0 ? t.deleteUsed : t.deleteUnused}</p>
      {follows.length > 0 && (
        <>
          <UseList uses={uses} />
          <ul className={styles.lines}>{follows.map((line) => <li key={line}>{line}</li>)}</ul>
        </>
      )}
    </FormDialog>
  );
}
