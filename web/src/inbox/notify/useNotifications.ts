import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useCallback, useRef } from "react";
import { useMe } from "../../api/queries";
import { serverNow } from "../../api/clock";
import { readsStream, useHints } from "../../api/stream";
import type { Conversation, Hint } from "../../api/types";
import { text } from "../../i18n";
import { preferences } from "../../shell/preferences";
import { conversationQuery, nameOf } from "../data/conversations";
import { inboxPath } from "../place";
import { plainText } from "../text/format";
import { isNews } from "./decide";
import { chime } from "./chime";
import { isLookedAt } from "./looking";

/** Tells of new messages, on every page: by the desktop and by a sound, as this browser wants it. */
export function useNotifications(): void {
  const me = useMe().user.id;
  const client = useQueryClient();
  const navigate = useNavigate();
  const told = useRef(new Set<string>());
  const listen = useCallback(
    async (hint: Hint) => {
      const { about, desktop, sound } = preferences.get();
      // Every tab hears of it; the one that reads the stream tells.
      if (hint.kind !== "conversation" || !(desktop || sound) || !readsStream()) return;
      const c = await client.fetchQuery({ ...conversationQuery(hint.id), staleTime: 0 }).catch(() => null);
      const focused = (await isLookedAt(hint.id)) ? hint.id : null;
      if (!c?.last_message || !isNews(c, { me, about, focused, now: serverNow(), told: told.current })) return;
      told.current.add(c.last_message.id);
      if (sound) chime();
      const open = () => void navigate({ to: inboxPath, params: { view: "all", conversation: c.id } });
      if (desktop) show(c, open);
    },
    [client, me, navigate],
  );
  useHints(listen);
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
