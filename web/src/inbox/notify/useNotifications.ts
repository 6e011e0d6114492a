import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef } from "react";
import { useMe } from "../../api/queries";
import { useHints } from "../../api/stream";
import type { Conversation, Hint } from "../../api/types";
import { text } from "../../i18n";
import { preferences } from "../../shell/preferences";
import { conversationQuery, nameOf } from "../data/conversations";
import { usePlace } from "../place";
import { plainText } from "../text/format";
import { isNews } from "./decide";
import { chime } from "./chime";

/** Tells of new messages: by the desktop and by a sound, as this browser wants it. */
export function useNotifications(): void {
  const me = useMe().user.id;
  const client = useQueryClient();
  const { conversation, open } = usePlace();
  const here = useRef({ conversation, open });
  const told = useRef(new Set<string>());
  useEffect(() => {
    here.current = { conversation, open };
  }, [conversation, open]);
  const listen = useCallback(
    async (hint: Hint) => {
      const { about, desktop, sound } = preferences.get();
      if (hint.kind !== "conversation" || !(desktop || sound)) return;
      const c = await client.fetchQuery({ ...conversationQuery(hint.id), staleTime: 0 }).catch(() => null);
      const focused = document.hasFocus() ? (here.current.conversation ?? null) : null;
      if (!c?.last_message || !isNews(c, { me, about, focused, now: Date.now(), told: told.current })) return;
      told.current.add(c.last_message.id);
      // Of several tabs one tells: the lock is kept as long as another tab could come to the same.
      void navigator.locks.request(`parley-news ${c.last_message.id}`, { ifAvailable: true }, async (lock) => {
        if (!lock) return;
        if (sound) chime();
        if (desktop) show(c, here.current.open);
        await new Promise((done) => setTimeout(done, 5000));
      });
    },
    [client, me],
  );
  useHints(listen);
}

function show(c: Conversation, open: (id: string) => void): void {
  if (!("Notification" in window) || Notification.permission !== "granted") return;
  const words = text("inbox");
  const body = plainText(c.last_message?.preview ?? "") || words.type[c.last_message?.type ?? "text"];
  const notification = new Notification(words.notifyFrom(nameOf(c)), { body, tag: c.id });
  notification.onclick = () => {
    window.focus();
    open(c.id);
    notification.close();
  };
}
