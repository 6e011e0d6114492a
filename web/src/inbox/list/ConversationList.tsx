import { useInfiniteQuery, useQueryClient, type InfiniteData } from "@tanstack/react-query";
import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import type { Page } from "../../api/client";
import type { Conversation } from "../../api/types";
import { useText } from "../../i18n";
import { ErrorState } from "../../ui/ErrorState";
import { useStore } from "../../ui/store";
import { conversationQuery, conversationsQuery, forgetLower, pageSize } from "../data/conversations";
import { usePlace } from "../place";
import { ConversationRow } from "./ConversationRow";
import { focusedRow } from "./focused";
import { ListEmpty } from "./ListEmpty";
import { ListSkeleton } from "./ListSkeleton";
import { NewPill } from "./NewPill";
import { setOrder } from "./selection";
import { useListKeys } from "./useListKeys";
import { useSteady } from "./useSteady";
import styles from "./ConversationList.module.css";

export const rowHeight = 64;

/**
 * What was fetched. A list that has changed is drawn when there is time: while messages pour in, the keys that somebody
 * types come first. Another list is drawn at once, and so are the first rows.
 */
function useFetched(data: InfiniteData<Page<Conversation>> | undefined, key: string) {
  const now = useMemo(() => ({ key, rows: data?.pages.flatMap((page) => page.data) ?? [] }), [data, key]);
  const later = useDeferredValue(now);
  const drawn = later.key === key && later.rows.length > 0 ? later : now;
  return { fetched: drawn.rows, count: now.rows.length };
}

/** The focus must not go with its row when that is scrolled away, or pushed down by others. */
function withFocused(drawn: number[], focused: number): number[] {
  if (focused < 0 || drawn.includes(focused)) return drawn;
  return [...drawn, focused].sort((a, b) => a - b);
}

/** The row at which the Tab key stops: the one that had the focus last, else the open one, else the first of those drawn. */
function useStop(drawn: (string | undefined)[], focused: string | undefined, open: string | undefined): string | undefined {
  const [last, setLast] = useState(focused);
  if (focused !== undefined && focused !== last) setLast(focused);
  return [focused, last, open].find((id) => id !== undefined && drawn.includes(id)) ?? drawn[0];
}

export function ConversationList() {
  const t = useText("inbox");
  const { filter, conversation: open } = usePlace();
  const client = useQueryClient();
  const query = useInfiniteQuery(conversationsQuery(filter));
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const key = JSON.stringify(filter);
  const { fetched, count } = useFetched(data, key);
  const box = useRef<HTMLDivElement>(null);
  const { rows, waiting, release, pointing } = useSteady(fetched, key, box);
  const focusedId = useStore(focusedRow);
  const focused = useMemo(() => rows.findIndex((c) => c.id === focusedId), [rows, focusedId]);
  // The virtualizer's functions change what they return without changing themselves, so the compiler must leave them.
  // eslint-disable-next-line react-hooks/incompatible-library
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    getItemKey: (i) => rows[i]?.id ?? i,
    rangeExtractor: (range) => withFocused(defaultRangeExtractor(range), focused),
  });
  const visible = virtual.getVirtualItems();
  const last = visible.at(-1)?.index ?? 0;
  const stop = useStop(visible.map((item) => rows[item.index]?.id), focusedId, open);
  const keys = useListKeys(
    rows,
    useCallback((i: number) => virtual.scrollToIndex(i), [virtual]),
    useCallback((id: string) => client.getQueryData(conversationQuery(id).queryKey)?.status === "open", [client]),
  );
  useEffect(() => setOrder(rows.map((c) => c.id)), [rows]);
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && last >= count - 15) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage, last, count]);

  useEffect(() => {
    if (last < pageSize / 2) forgetLower(client, filter);
  }, [last, client, filter]);

  const showNew = (byKey: boolean) => {
    release();
    if (byKey) focusedRow.set(fetched[0]?.id);
  };

  if (query.isPending) return <ListSkeleton />;
  if (query.isError && rows.length === 0) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  if (rows.length === 0) return <ListEmpty />;
  return (
    <div className={styles.frame} {...pointing} {...keys}>
      {waiting > 0 && <NewPill count={waiting} onPress={showNew} />}
      <div ref={box} className={styles.rows}>
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
                <ConversationRow conversation={row} open={row.id === open} stop={row.id === stop} />
              </li>
            );
          })}
        </ul>
      </div>
    </div>
  );
}
