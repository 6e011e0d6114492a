import { queryOptions, useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useRef } from "react";
import { all, send } from "../../api/client";
import { useMe } from "../../api/queries";
import type { Presence } from "../../api/types";

const presenceQuery = (id: string) =>
  queryOptions({
    queryKey: ["presence", id],
    queryFn: ({ signal }) => all<Presence>(`/conversations/${id}/presence`, { signal }),
  });

/** The server forgets us after 30 s. */
const every = 20_000;
const typingEvery = 8_000;

export interface PresenceOfThread {
  others: Presence[];
  /** Call it on every keystroke: it tells the server now and then. */
  typing: () => void;
}

/** Says that we look at a conversation, and who else does. It is a courtesy: failures are not shown. */
export function usePresence(id: string): PresenceOfThread {
  const me = useMe();
  const told = useRef(0);
  const { data } = useQuery(presenceQuery(id));
  const tell = useCallback(
    (state: "viewing" | "replying" | "gone") =>
      void send("POST", `/conversations/${id}/presence`, { state }).catch(() => undefined),
    [id],
  );
  useEffect(() => {
    const look = () => {
      const replying = Date.now() - told.current < typingEvery;
      if (document.visibilityState === "visible" && !replying) tell("viewing");
    };
    look();
    const timer = setInterval(look, every);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
      tell("gone");
    };
  }, [tell]);
  const typing = useCallback(() => {
    if (Date.now() - told.current < typingEvery) return;
    told.current = Date.now();
    tell("replying");
  }, [tell]);
  return { others: data?.filter((p) => p.id !== me.user.id) ?? [], typing };
}
