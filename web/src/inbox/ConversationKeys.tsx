import { useMemo } from "react";
import type { Conversation } from "../../api/types";
import { useText } from "../../i18n";
import { useCommands, type Command } from "../../shell/commands";
import { toastError } from "../../ui/toasts";
import { useChange } from "../data/change";
import { usePlace } from "../place";
import { openPart } from "./openers";
import { useResolve } from "./useResolve";

/** The keys of an open conversation: r n e a l h u, and Escape to close it. */
export function useThreadKeys(conversation: Conversation | undefined): void {
  const t = useText("inbox");
  const resolve = useResolve();
  const { mutate } = useChange();
  const { open } = usePlace();
  const commands = useMemo((): Command[] => {
    if (!conversation) return [];
    const { id } = conversation;
    const group = t.title;
    const unread = () => {
      mutate({ id, change: { unread: true } }, { onError: toastError });
      open(undefined);
    };
    return [
      { id: "thread.reply", title: t.keys.reply, group, keys: "r", run: () => openPart("reply") },
      { id: "thread.note", title: t.keys.note, group, keys: "n", run: () => openPart("note") },
      { id: "thread.resolve", title: t.keys.resolve, group, keys: "e", run: () => resolve(conversation) },
      { id: "thread.assign", title: t.assign, group, keys: "a", run: () => openPart("assign") },
      { id: "thread.labels", title: t.labels, group, keys: "l", run: () => openPart("labels") },
      { id: "thread.snooze", title: t.snooze, group, keys: "h", run: () => openPart("snooze") },
      { id: "thread.unread", title: t.keys.unread, group, keys: "u", run: unread },
    ];
  }, [conversation, t, resolve, mutate, open]);
  useCommands(commands);
}
