import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef } from "react";
import { useText } from "../../i18n";
import { ErrorState } from "../../ui/ErrorState";
import { conversationsQuery, forgetLower, pageSize } from "../data/conversations";
import { usePlace } from "../place";
import { ConversationRow } from "./ConversationRow";
import { ListEmpty } from "./ListEmpty";
import { ListSkeleton } from "./ListSkeleton";
import { NewPill } from "./NewPill";
import { useListKeys } from "./useListKeys";
import { useSteady } from "./useSteady";
import styles from "./ConversationList.module.css";

export const rowHeight = 64;

export function ConversationList() {
  const t = useText("inbox");
  const { filter, conversation: open } = usePlace();
  const client = useQueryClient();
  const query = useInfiniteQuery(conversationsQuery(filter));
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const fetched = useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data]);
  const box = useRef<HTMLDivElement>(null);
  const { rows, waiting, release, pointing } = useSteady(fetched, JSON.stringify(filter), box);
  // The virtualizer's functions change what they return without changing themselves, so the compiler must leave them.
  // eslint-disable-next-line react-hooks/incompatible-library
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    getItemKey: (i) => rows[i]?.id ?? i,
  });
  const visible = virtual.getVirtualItems();
  const last = visible.at(-1)?.index ?? 0;
  useListKeys(rows, (i) => virtual.scrollToIndex(i));
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && last >= rows.length - 15) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage, last, rows.length]);

  useEffect(() => {
    if (last < pageSize / 2) forgetLower(client, filter);
  }, [last, client, filter]);

  if (query.isPending) return <ListSkeleton />;
  if (query.isError && rows.length === 0) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  if (rows.length === 0) return <ListEmpty />;
  return (
    <div className={styles.frame}>
      {waiting > 0 && <NewPill count={waiting} onClick={release} />}
      <div ref={box} className={styles.rows} {...pointing}>
        <ul aria-label={t.conversations} className={styles.list} style={{ height: virtual.getTotalSize() }}>
          {visible.map((item) => {
            const row = rows[item.index];
            if (!row) return null;
            return (
              <li
                key={item.key}
                className={styles.item}
                style={{ transform: `translateY(${item.start}px)` }}
                aria-setsize={hasNextPage ? -1 : rows.length}
                aria-posinset={item.index + 1}
              >
                <ConversationRow conversation={row} open={row.id === open} order={rows} />
              </li>
            );
          })}
        </ul>
      </div>
    </div>
  );
}
