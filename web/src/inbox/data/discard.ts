import { text } from "../../i18n";
import { toast } from "../../ui/toasts";
import { isNote } from "./outbox";
import { outbox } from "./sending";

/** Throws away a message or a note that was not sent, with a way back. Of a file on its way nothing more is uploaded. */
export function discardKey(key: string): void {
  const entry = outbox.all().find((e) => e.key === key);
  if (!entry) return;
  outbox.discard(key);
  const t = text("inbox");
  toast(isNote(entry) ? t.noteDiscarded : t.discarded, { undo: () => outbox.add({ ...entry, progress: undefined }) });
}
