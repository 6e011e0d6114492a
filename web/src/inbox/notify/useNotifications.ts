import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useCallback, useEffect, useRef } from "react";
import { list } from "../../api/client";
import { useMe } from "../../api/queries";
import { serverNow } from "../../api/clock";
import { readsStream, useHints } from "../../api/stream";
import type { Conversation, Hint } from "../../api/types";
import { text } from "../../i18n";
import { preferences } from "../../shell/preferences";
import { conversationQuery, nameOf } from "../data/conversations";
import { inboxPath } from "../place";
import { plainText } from "../text/format";
import { cameSince, isNews } from "./decide";
import { chime } from "./chime";
import { isLookedAt } from "./looking";

/** How many conversations are looked at for what came while nobody listened. */
const mostMissed = 10;

/** Every tab hears of a message; the one that reads the stream tells of it, where this browser wants it. */
function tells(): boolean {
  const { desktop, sound } = preferences.get();
  return (desktop || sound) && readsStream();
}

/** Tells of new messages, on every page: by the desktop and by a sound, as this browser wants it. */
export function useNotifications(): void {
  const client = useQueryClient();
  const tell = useTell();
  // Since when nobody has listened: at first since the page was asked for.
  const deafSince = useRef<number>(undefined);
  const catchUp = useCallback(async () => {
    const since = deafSince.current ?? serverNow() - performance.now();
    if (!tells()) return;
    deafSince.current = serverNow();
    const query = { view: "all", unread: true, limit: mostMissed };
    const { data } = await list<Conversation>("/conversations", { query }).catch(() => ({ data: [] }));
    for (const c of data) if (cameSince(c, since)) await tell(c);
  }, [tell]);
  const listen = useCallback(
    async (hint: Hint) => {
      if (hint.kind === "hello") return catchUp();
      deafSince.current = serverNow();
      if (hint.kind !== "conversation" || !tells()) return;
      const c = await client.fetchQuery({ ...conversationQuery(hint.id), staleTime: 0 }).catch(() => null);
      if (c) await tell(c);
    },
    [client, tell, catchUp],
  );
  useHints(listen);
  // This part of the page comes last: the stream may have said something before.
  useEffect(() => void catchUp(), [catchUp]);
}

/** Tells of a conversation's last message, if it is news. */
function useTell(): (c: Conversation) => Promise<void> {
  const me = useMe().user.id;
  const navigate = useNavigate();
  const told = useRef(new Set<string>());
  return useCallback(
    async (c) => {
      const { about, desktop, sound } = preferences.get();
      const focused = (await isLookedAt(c.id)) ? c.id : null;
      if (!c.last_message || !isNews(c, { me, about, focused, now: serverNow(), told: told.current })) return;
      told.current.add(c.last_message.id);
      if (sound) chime();
      const open = () => void navigate({ to: inboxPath, params: { view: "all", conversation: c.id } });
      if (desktop) show(c, open);
    },
    [me, navigate],
  );
}

function show(c: Conversation, open: () => void): void {
  if (!("Notification" in window) || Notification.permission !== "granted") return;
  const words = text("inbox");
  const body = plainText(c.last_message?.preview ?? "") || words.type[c.last_message?.type ?? "text"];
  const notification = new Notification(words.notifyFrom(nameOf(c)), { body, tag: c.id });
  notification.onclick = () => {
    window.focus();
    open();
    notification.close();
  };
}
