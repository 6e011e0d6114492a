import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { text } from "../../i18n";
import { fileQuery, type LibraryFile } from "../../media/data";
import { Store, useStore } from "../../ui/store";
import { toast } from "../../ui/toasts";
import { largest, type Attached } from "./files";

interface Waiting {
  files: Attached[];
  /** The newest item of the thread when the first one was added. */
  seen?: string;
}

const none: Waiting = { files: [] };

/** The files that wait in each conversation, also while another one is open. */
const attached = new Store<Record<string, Waiting | undefined>>({});

function change(conversation: string, next: (now: Waiting) => Waiting): void {
  attached.set({ ...attached.get(), [conversation]: next(attached.get()[conversation] ?? none) });
}

/** Adds files to the next message. `seen` is the newest item of the thread. */
export function attach(conversation: string, more: Attached[], seen: string | undefined): void {
  change(conversation, (now) => ({ files: [...now.files, ...more], seen: now.files.length > 0 ? now.seen : seen }));
}

/** The files that go with the next message. */
export function useFiles(conversation: string, number: string, newest: () => string | undefined) {
  const client = useQueryClient();
  const { files, seen } = useStore(attached)[conversation] ?? none;
  const addFiles = useCallback(
    (more: File[]) => {
      const fitting = more.filter((file) => file.size <= largest);
      if (fitting.length < more.length) toast(text("inbox").tooLarge, { kind: "error" });
      attach(conversation, fitting, newest());
    },
    [conversation, newest],
  );

  const addStored = (id: string) => {
    const add = ({ filename, mime_type, size, path }: LibraryFile) =>
      attach(conversation, [{ id, name: filename ?? id, type: mime_type, size, path }], newest());
    client.fetchQuery(fileQuery(number, id)).then(add, () => toast(text("inbox").fileGone, { kind: "error" }));
  };
  const removeFile = (file: Attached) => change(conversation, (now) => ({ ...now, files: now.files.filter((f) => f !== file) }));
  const seeFiles = (item: string | undefined) => change(conversation, (now) => ({ ...now, seen: item }));
  return { files, seen, addFiles, addStored, removeFile, seeFiles, clearFiles: () => change(conversation, () => none) };
}
