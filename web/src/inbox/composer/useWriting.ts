import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { idempotencyKey } from "../../api/client";
import { peopleQuery } from "../../api/queries";
import { useOnline } from "../../api/stream";
import type { Conversation, Message } from "../../api/types";
import { text } from "../../i18n";
import { Store, useStore } from "../../ui/store";
import { toast, toastError } from "../../ui/toasts";
import { useAddNote } from "../data/notes";
import { lookAtNewest, useNewestNow } from "../data/timeline";
import { mentionsIn } from "../text/mentions";
import { answer, useAnswering } from "./answering";
import { unseenReply } from "./collision";
import { fileQuery, type LibraryFile } from "../../media/data";
import { largest, type Attached } from "./files";
import { useDraft, type DraftState } from "./useDraft";
import { useSend } from "./useSend";
import { useToNewest } from "../thread/useToNewest";

export interface WritingState {
  draft: DraftState;
  files: Attached[];
  addFiles: (files: File[]) => void;
  /** Adds a file of the library, by its id. */
  addStored: (id: string) => void;
  removeFile: (file: Attached) => void;
  write: (body: string) => void;
  ready: boolean;
  /** It is being looked whether a colleague has replied: until then nothing is sent, or written. */
  looking: boolean;
  submit: () => void;
  /** A colleague's reply that came while this was written: it is asked about once. */
  unseen: Message | null;
  sendAnyway: () => void;
  lookAgain: () => void;
}

const none: Attached[] = [];

/** The files that wait in each conversation, also while another one is open. */
const attached = new Store<Record<string, Attached[] | undefined>>({});

/** The files that go with the next message. */
function useFiles(conversation: string, number: string) {
  const client = useQueryClient();
  const files = useStore(attached)[conversation] ?? none;
  const setFiles = useCallback(
    (change: (now: Attached[]) => Attached[]) => attached.set({ ...attached.get(), [conversation]: change(attached.get()[conversation] ?? none) }),
    [conversation],
  );
  const addFiles = useCallback(
    (more: File[]) => {
      const fitting = more.filter((file) => file.size <= largest);
      if (fitting.length < more.length) toast(text("inbox").tooLarge, { kind: "error" });
      setFiles((now) => [...now, ...fitting]);
    },
    [setFiles],
  );

  const addStored = (id: string) => {
    const add = ({ filename, mime_type, size, path }: LibraryFile) =>
      setFiles((now) => [...now, { id, name: filename ?? id, type: mime_type, size, path }]);
    client.fetchQuery(fileQuery(number, id)).then(add, () => toast(text("inbox").fileGone, { kind: "error" }));
  };
  const removeFile = (file: Attached) => setFiles((now) => now.filter((f) => f !== file));
  return { files, addFiles, addStored, removeFile, clearFiles: () => setFiles(() => none) };
}

/** Adds the draft as a note. A note that cannot be added becomes the draft again. */
function useSendNote(id: string, draft: DraftState): () => void {
  const people = useQuery({ ...peopleQuery, enabled: draft.note }).data ?? [];
  const note = useAddNote(id);
  const { body } = draft;
  return () => {
    draft.clear();
    const restore = (error: unknown) => {
      draft.restore(body, true);
      toastError(error);
    };
    note.mutateAsync({ key: idempotencyKey(), body: body.trim(), mentions: mentionsIn(body, people) }).catch(restore);
  };
}

/** What is being written in a conversation, and what happens to it when it is sent. */
export function useWriting(c: Conversation, me: string): WritingState {
  const client = useQueryClient();
  const online = useOnline();
  const draft = useDraft(me, c.id);
  const answered = useAnswering(c.id);
  const { files, clearFiles, ...attaching } = useFiles(c.id, c.number.phone_number_id);
  const [unseen, setUnseen] = useState<Message | null>(null);
  const [looking, setLooking] = useState(false);
  const newestNow = useNewestNow(c.id);
  const toNewest = useToNewest(c.id);
  const { sendWriting } = useSend(c);
  const sendNote = useSendNote(c.id, draft);
  const { body } = draft;

  const write = (next: string) => draft.write(next, newestNow().items[0]?.id);
  const sendNow = (seen?: string) => {
    setUnseen(null);
    sendWriting({ body, files, answered }, seen);
    clearFiles();
    answer(c.id, undefined);
    draft.clear();
    if (newestNow().away) toNewest();
  };
  const sendReply = async () => {
    // Without the live stream what is on screen may be old: look once more before answering.
    let latest = newestNow().items;
    if (!online) {
      setLooking(true);
      latest = await lookAtNewest(client, c.id).catch(() => latest);
      setLooking(false);
    }
    const reply = unseenReply(latest, draft.seen, me);
    if (reply) setUnseen(reply);
    else sendNow();
  };
  const ready = body.trim() !== "" || (files.length > 0 && !draft.note);
  return {
    draft,
    files,
    ...attaching,
    write,
    ready,
    looking,
    submit: () => {
      if (!ready || looking) return;
      if (draft.note) sendNote();
      else void sendReply();
    },
    unseen,
    sendAnyway: () => sendNow(unseen?.id),
    lookAgain: () => {
      setUnseen(null);
      draft.see(newestNow().items[0]?.id);
    },
  };
}
