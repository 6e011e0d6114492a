import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { peopleQuery } from "../../api/queries";
import { useOnline } from "../../api/stream";
import type { Conversation, Message } from "../../api/types";
import { placeOf } from "../data/order";
import { lookAtNewest, useNewestNow } from "../data/timeline";
import { mentionsIn } from "../text/mentions";
import { answer, useAnswering } from "./answering";
import { unseenReply } from "./collision";
import type { Attached } from "./files";
import { excessOf } from "./length";
import { useDraft, type DraftState } from "./useDraft";
import { useFiles } from "./useFiles";
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
  /** By how many characters it is too long. */
  excess: number;
  ready: boolean;
  /** It is being looked whether a colleague has replied: until then nothing is sent, or written. */
  looking: boolean;
  submit: () => void;
  /** A colleague's reply that came while this was written: it is asked about once. */
  unseen: Message | null;
  sendAnyway: () => void;
  lookAgain: () => void;
}

/** What had been seen when the first of several things was begun. */
function begun(...seen: (string | undefined)[]): string | undefined {
  return seen.filter((item) => item !== undefined).sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))[0];
}

/** What is being written in a conversation, and what happens to it when it is sent. A closed window takes notes alone. */
export function useWriting(c: Conversation, me: string, closed: boolean): WritingState {
  const client = useQueryClient();
  const online = useOnline();
  const draft = useDraft(me, c.id);
  const answered = useAnswering(c.id);
  const [unseen, setUnseen] = useState<Message | null>(null);
  const [looking, setLooking] = useState(false);
  const newestNow = useNewestNow(c.id);
  const newest = useCallback(() => newestNow().items[0]?.id, [newestNow]);
  const { files, seen: seenFiles, clearFiles, seeFiles, ...attaching } = useFiles(c.id, c.number.phone_number_id, newest);
  const toNewest = useToNewest(c.id);
  const { sendWriting, sendNote } = useSend(c);
  const people = useQuery({ ...peopleQuery, enabled: draft.note }).data ?? [];
  const { body } = draft;

  const write = (next: string) => draft.write(next, newest());
  const sendNow = (seen?: string) => {
    setUnseen(null);
    sendWriting({ body, files, answered }, seen);
    clearFiles();
    answer(c.id, undefined);
    draft.clear();
    if (newestNow().away) toNewest();
  };
  const addNote = () => {
    sendNote(body.trim(), mentionsIn(body, people));
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
    const reply = unseenReply(latest, begun(files.length > 0 ? seenFiles : undefined, body ? draft.seen : undefined), me);
    if (reply) setUnseen(reply);
    else sendNow();
  };
  const excess = excessOf(body, draft.note);
  const some = body.trim() !== "" || (files.length > 0 && !draft.note);
  const ready = some && excess === 0 && (draft.note || !closed);
  return {
    draft,
    files,
    ...attaching,
    write,
    excess,
    ready,
    looking,
    submit: () => {
      if (!ready || looking) return;
      if (draft.note) addNote();
      else void sendReply();
    },
    unseen,
    sendAnyway: () => sendNow(unseen?.id),
    lookAgain: () => {
      setUnseen(null);
      if (body) draft.see(newest());
      seeFiles(newest());
    },
  };
}
