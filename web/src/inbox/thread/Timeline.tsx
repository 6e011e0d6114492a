import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import { useMe } from "../../api/queries";
import type { Conversation } from "../../api/types";
import { useText } from "../../i18n";
import { ErrorState } from "../../ui/ErrorState";
import { itemOf, outbox, useOutbox } from "../data/sending";
import { timelineQuery } from "../data/timeline";
import { arrange } from "./arrange";
import { DownButton } from "./DownButton";
import { ThreadSkeleton } from "./ThreadSkeleton";
import { TimelineRow } from "./TimelineRow";
import { useFirstUnread } from "./useFirstUnread";
import { useJump } from "./useJump";
import { useScroll } from "./useScroll";
import styles from "./Timeline.module.css";

/** What was said, written and done, oldest first; older parts come when one scrolls up. */
export function Timeline({ conversation: c }: { conversation: Conversation }) {
  const t = useText("inbox");
  const me = useMe();
  const query = useInfiniteQuery(timelineQuery(c.id));
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const fetched = useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data]);
  const sending = useOutbox();
  const firstUnread = useFirstUnread(c, fetched);
  const rows = useMemo(() => {
    const shown = new Set(fetched.map((item) => item.id));
    const mine = sending.filter((e) => e.conversation === c.id && !(e.message && shown.has(e.message.id)));
    const items = [...mine.map((entry) => itemOf(entry, me)).toReversed(), ...fetched];
    return arrange(items, { firstUnread });
  }, [fetched, sending, c.id, me, firstUnread]);
  useEffect(() => outbox.settle(new Set(fetched.map((item) => item.id))), [fetched]);

  const log = useRef<HTMLDivElement>(null);
  const { atBottom, toBottom } = useScroll(log, rows);
  useJump(log, query, rows);
  const older = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const mark = older.current;
    if (!mark || !hasNextPage || isFetchingNextPage) return;
    const watcher = new IntersectionObserver(([entry]) => entry?.isIntersecting && void fetchNextPage(), {
      root: log.current,
      rootMargin: "600px 0px 0px",
    });
    watcher.observe(mark);
    return () => watcher.disconnect();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);

  if (query.isError && !data) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  return (
    <div className={styles.frame}>
      {/* Whoever uses the keyboard must be able to scroll it. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div ref={log} className={styles.log} role="log" aria-label={t.messages} aria-busy={query.isPending} tabIndex={0}>
        <div className={styles.space} />
        <div ref={older} />
        {query.isPending && <ThreadSkeleton />}
        {rows.map((row) => (
          <TimelineRow key={row.key} row={row} conversation={c} />
        ))}
      </div>
      {!atBottom && <DownButton unread={c.unread_count} onClick={toBottom} />}
    </div>
  );
}
