import { useCallback } from "react";
import { idempotencyKey } from "../../api/client";
import type { Conversation, Message } from "../../api/types";
import type { Outgoing } from "../data/outbox";
import { nameOf } from "../data/conversations";
import { outbox, recipientOf } from "../data/sending";
import { useNewestNow } from "../data/timeline";
import { contentOf, isStored, kindOf, type Attached } from "./files";

export interface Writing {
  body: string;
  files: Attached[];
  answered?: Message;
}

interface Sendable {
  content: { type: Outgoing["body"]["type"]; [content: string]: unknown };
  file?: File;
  path?: string;
  shown?: Outgoing["shown"];
}

/** Puts messages and notes of a conversation on their way. What the thread shows, or what is named as seen, is not asked about. */
export function useSend(c: Conversation) {
  const newestNow = useNewestNow(c.id);
  const sendContents = useCallback(
    (contents: Sendable[], answered?: Message, seen = newestNow().items[0]?.id) => {
      const context = answered?.message_id ? { context: { message_id: answered.message_id } } : {};
      const now = Date.now();
      const entries = contents.map(({ content, file, path, shown }, i): Outgoing => ({
        key: idempotencyKey(),
        conversation: c.id,
        number: c.number.phone_number_id,
        body: { ...recipientOf(c), ...(i === 0 ? context : {}), ...content },
        createdAt: new Date(now + i).toISOString(), // in their order, also after a reload
        state: "waiting",
        seen,
        to: nameOf(c),
        file,
        path,
        shown,
      }));
      outbox.add(...entries);
    },
    [c, newestNow],
  );
  const sendWriting = useCallback(
    ({ body, files, answered }: Writing, seen?: string) => sendContents(contentsOf(body.trim(), files), answered, seen),
    [sendContents],
  );
  const sendNote = useCallback(
    (body: string, mentions: string[]) =>
      outbox.add({
        key: idempotencyKey(),
        conversation: c.id,
        number: c.number.phone_number_id,
        body: { ...recipientOf(c), type: "text", text: { body } },
        mentions,
        createdAt: new Date().toISOString(),
        state: "waiting",
        to: nameOf(c),
      }),
    [c],
  );
  return { sendContents, sendWriting, sendNote };
}

/** What the network takes as a caption. It counts characters, which are one or two of JavaScript's. */
const captionLength = 1024;

/** A text goes as the caption of the first file that can have one; else, and where it is too long for that, by itself. */
export function contentsOf(body: string, files: Attached[]): Sendable[] {
  const captioned = body && [...body].length <= captionLength ? files.findIndex((file) => kindOf(file) !== "audio") : -1;
  const sent = files.map((file, i) => sendable(file, contentOf(file, i === captioned ? body : "")));
  return body && captioned < 0 ? [{ content: { type: "text", text: { body } } }, ...sent] : sent;
}

/** A file of the library is named; any other is uploaded on the way. */
function sendable(file: Attached, content: Sendable["content"]): Sendable {
  if (!isStored(file)) return { content, file };
  const { id, name, type, size, path } = file;
  const named = { ...content, [content.type]: { ...(content[content.type] as object), id } };
  return { content: named, path, shown: { media: { mime_type: type, filename: name, size, sha256: null } } };
}
