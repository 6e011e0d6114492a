import { useEffect, useMemo, useState } from "react";
import { useMe } from "../../api/queries";
import type { Conversation, TimelineItem } from "../../api/types";
import { itemOf, outbox, useOutbox } from "../data/sending";
import { arrange, keepRows, type Row } from "./arrange";
import { useFirstUnread } from "./useFirstUnread";

/** What the thread shows: what was fetched, and at its newest end what is on its way. */
export function useRows(c: Conversation, fetched: TimelineItem[], live: boolean): Row[] {
  const me = useMe();
  const sending = useOutbox();
  const firstUnread = useFirstUnread(c, live ? fetched : []);
  useEffect(() => outbox.settle(new Set(fetched.map((item) => item.id))), [fetched]);
  const next = useMemo(() => {
    const shown = new Set(fetched.map((item) => item.id));
    const mine = sending.filter((e) => live && e.conversation === c.id && !(e.made && shown.has(e.made.id)));
    const items = [...mine.map((entry) => itemOf(entry, me)).toReversed(), ...fetched];
    return arrange(items, { firstUnread });
  }, [fetched, sending, live, c.id, me, firstUnread]);
  const [rows, setRows] = useState(next);
  const kept = keepRows(rows, next);
  if (kept !== rows) setRows(kept);
  return kept;
}
