import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { send } from "../../api/client";
import { streamOnline } from "../../api/stream";
import type { Conversation } from "../../api/types";
import { refresh, showChange } from "../data/conversations";
import { newestInbound, useNewest } from "../data/timeline";
import { useLooking } from "../notify/looking";

/**
 * Opening a thread reads it. It is told once for each newest message, a reaction being one too, so that "mark
 * unread" stays and a provider that is away is not asked without end.
 */
export function useMarkRead(id: string, c: Conversation | undefined): void {
  const client = useQueryClient();
  const looking = useLooking();
  const told = useRef<string | null>(null);
  const newest = newestInbound(useNewest(id))?.message_id;
  const unread = c !== undefined && c.unread_count > 0;
  const number = c?.number.phone_number_id;
  const state = `${newest} ${c?.last_message?.id}`;
  useEffect(() => {
    if (!looking || !unread || !newest || !number || told.current === state) return;
    told.current = state;
    showChange(client, id, (conversation) => ({ ...conversation, unread_count: 0 }));
    const body = { messaging_product: "chat", status: "read", message_id: newest };
    send("POST", `/${number}/messages`, body)
      .then(() => streamOnline() || refresh(client)) // else the stream tells of it
      .catch(() => refresh(client, id));
  }, [client, looking, unread, newest, state, number, id]);
}
