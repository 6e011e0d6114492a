import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Conversation } from "../api/types";
import { useText } from "../i18n";
import { useCommands, type Command } from "../shell/commands";
import { useStore } from "../ui/store";
import { useChange } from "./data/change";
import { conversationQuery, fromLists } from "./data/conversations";
import { focusedRow, goToRow } from "./list/focused";
import { usePlace } from "./place";
import { openPart, openPartNext, type OpenerName } from "./thread/openers";
import { useResolve } from "./thread/useResolve";

const known = (client: QueryClient, id: string): Conversation | undefined =>
  client.getQueryData(conversationQuery(id).queryKey) ?? fromLists(client, id);

/** The keys of a conversation: r n e a l h u. They mean the row that has the focus, else the conversation that is open. */
export function ConversationKeys() {
  const t = useText("inbox");
  const client = useQueryClient();
  const resolve = useResolve();
  const change = useChange();
  const { conversation: opened, open } = usePlace();
  const id = useStore(focusedRow) ?? opened;
  const commands = useMemo((): Command[] => {
    if (!id) return [];
    const group = t.title;
    const show = (part: OpenerName) => () => {
      if (id === opened) return openPart(part);
      openPartNext(part);
      open(id);
    };
    const toggle = () => {
      const conversation = known(client, id);
      if (!conversation) return;
      // Its row goes away, and hands the focus that it has on to the next one.
      if (conversation.status !== "resolved") goToRow(id);
      resolve(conversation);
    };
    const unread = () => {
      void change(id, { unread: true });
      if (id === opened) open(undefined);
    };
    return [
      { id: "thread.reply", title: t.keys.reply, group, keys: "r", run: show("reply") },
      { id: "thread.note", title: t.keys.note, group, keys: "n", run: show("note") },
      { id: "thread.resolve", title: t.keys.resolve, group, keys: "e", run: toggle },
      { id: "thread.assign", title: t.assign, group, keys: "a", run: show("assign") },
      { id: "thread.labels", title: t.labels, group, keys: "l", run: show("labels") },
      { id: "thread.snooze", title: t.snooze, group, keys: "h", run: show("snooze") },
      { id: "thread.unread", title: t.keys.unread, group, keys: "u", run: unread },
    ];
  }, [id, opened, t, client, resolve, change, open]);
  useCommands(commands);
  return null;
}
