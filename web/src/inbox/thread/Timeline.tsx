import { useSearch } from "@tanstack/react-router";
import { useMemo, useRef } from "react";
import type { Conversation, ThreadRef } from "../../api/types";
import { useText } from "../../i18n";
import type { InboxSearch } from "../../router";
import { ErrorState } from "../../ui/ErrorState";
import { atNewest, itemsOf, useTimeline } from "../data/timeline";
import { DownButton } from "./DownButton";
import { ThreadSkeleton } from "./ThreadSkeleton";
import { TimelineRow } from "./TimelineRow";
import { useEdge } from "./useEdge";
import { useRows } from "./useRows";
import { useScroll } from "./useScroll";
import { useToNewest } from "./useToNewest";
import styles from "./Timeline.module.css";

/** What was said, written and done, oldest first; what is older and newer comes when one scrolls there. */
export function Timeline({ conversation: c }: { conversation: Conversation }) {
  const t = useText("inbox");
  const { item }: InboxSearch = useSearch({ strict: false });
  const query = useTimeline(c.id);
  const { data, dataUpdatedAt: fetchedAt, isFetching: busy, isPending } = query;
  const fetched = useMemo(() => itemsOf(data), [data]);
  const live = data === undefined || atNewest(data);
  const rows = useRows(c, fetched, live);
  const about = useAbout(c);

  const log = useRef<HTMLDivElement>(null);
  const { atBottom, toBottom } = useScroll(log, { rows, ready: !isPending, live, item });
  const older = useEdge(log, { more: query.hasNextPage, busy, fetchedAt, fetch: query.fetchNextPage });
  const newer = useEdge(log, { more: query.hasPreviousPage, busy, fetchedAt, fetch: query.fetchPreviousPage });
  const toNewest = useToNewest(c.id);

  if (query.isError && !data) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  return (
    <div className={styles.frame}>
      {/* Whoever uses the keyboard must be able to scroll it. While older parts come, nothing is to be read out. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div ref={log} className={styles.log} role="log" aria-label={t.messages} aria-busy={busy} tabIndex={0}>
        <div className={styles.rows}>
          <div ref={older} />
          {isPending && <ThreadSkeleton />}
          {rows.map((row) => (
            <TimelineRow key={row.key} row={row} conversation={about} />
          ))}
          <div ref={newer} />
        </div>
      </div>
      {!atBottom && <DownButton unread={c.unread_count} onClick={live ? toBottom : toNewest} />}
    </div>
  );
}

/** What rows know of the conversation: it stays the same object while only the rest of it changes. */
function useAbout({ id, contact, number }: Conversation): ThreadRef {
  return useMemo(() => ({ id, contact, number }), [id, contact, number]);
}
