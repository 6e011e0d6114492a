import type { TimelineItem } from "../../api/types";
import { isNote, type Outgoing } from "../data/outbox";
import { outbox } from "../data/sending";
import { openPart } from "../thread/openers";
import { answer } from "./answering";
import type { Attached } from "./files";
import { giveBack } from "./useDraft";
import { attach } from "./useFiles";

interface Content {
  body?: string;
  caption?: string;
  id?: string;
  voice?: boolean;
}

/** What a message was written as, where the composer can have it: text, and files that are still there. */
export function writingOf({ body, file, path, shown }: Outgoing): { body: string; files: Attached[] } | null {
  const { body: text = "", caption = "", id, voice } = body[body.type] as Content;
  const media = shown?.media;
  if (body.type === "text") return { body: text, files: [] };
  if (voice) return null;
  if (file) return { body: caption, files: [file] };
  if (!id || !path || !media) return null;
  return { body: caption, files: [{ id, name: media.filename ?? id, type: media.mime_type ?? "", size: media.size ?? 0, path }] };
}

/** Puts a message or a note that was not sent back into the composer. `items` is what the thread shows now. */
export function editAgain(entry: Outgoing, me: string, items: TimelineItem[]): void {
  const writing = writingOf(entry);
  if (!writing) return;
  const { key, conversation } = entry;
  outbox.discard(key);
  const note = isNote(entry);
  if (writing.body) giveBack(me, conversation, note ? "note" : "reply", writing.body, items[0]?.id);
  if (writing.files.length > 0) attach(conversation, writing.files, items[0]?.id);
  const answered = entry.body.context?.message_id;
  const quoted = items.find((item) => item.kind === "message" && item.message.message_id === answered);
  if (answered && quoted?.kind === "message") answer(conversation, quoted.message);
  openPart(note ? "note" : "reply");
}
