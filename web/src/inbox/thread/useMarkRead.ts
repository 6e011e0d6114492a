import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { send } from "../../api/client";
import type { Conversation } from "../../api/types";
import { refresh, showChange } from "../data/conversations";
import { newestInbound, timelineQuery } from "../data/timeline";

/** Whether somebody looks at this page. */
function useLooking(): boolean {
  const now = () => document.visibilityState === "visible" && document.hasFocus();
  const [looking, setLooking] = useState(now);
  useEffect(() => {
    const look = () => setLooking(now());
    const events = ["focus", "blur"] as const;
    events.forEach((name) => window.addEventListener(name, look));
    document.addEventListener("visibilitychange", look);
    return () => {
      events.forEach((name) => window.removeEventListener(name, look));
      document.removeEventListener("visibilitychange", look);
    };
  }, []);
  return looking;
}

/**
 * Opening a thread reads it. It is told once for each newest message, a reaction being one too, so that "mark
 * unread" stays and a provider that is away is not asked without end.
 */
export function useMarkRead(id: string, c: Conversation | undefined): void {
  const client = useQueryClient();
  const looking = useLooking();
  const told = useRef<string | null>(null);
  const { data } = useInfiniteQuery(timelineQuery(id));
  const newest = newestInbound(data?.pages[0]?.data ?? [])?.message_id;
  const unread = c !== undefined && c.unread_count > 0;
  const number = c?.number.phone_number_id;
  const state = `${newest} ${c?.last_message?.id}`;
  useEffect(() => {
    if (!looking || !unread || !newest || !number || told.current === state) return;
    told.current = state;
    showChange(client, id, (conversation) => ({ ...conversation, unread_count: 0 }));
    const body = { messaging_product: "chat", status: "read", message_id: newest };
    send("POST", `/${number}/messages`, body)
      .then(() => refresh(client))
      .catch(() => refresh(client, id));
  }, [client, looking, unread, newest, state, number, id]);
}
