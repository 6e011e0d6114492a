import { text } from "../../i18n";
import { toast } from "../../ui/toasts";
import { outbox } from "./sending";

/** Throws away a message that was not sent, with a way back. Of a file on its way nothing more is uploaded. */
export function discardKey(key: string): void {
  const entry = outbox.all().find((e) => e.key === key);
  if (!entry) return;
  outbox.discard(key);
  toast(text("inbox").discarded, { undo: () => outbox.add({ ...entry, progress: undefined }) });
}
