import { Button, Group, Skeleton } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef } from "react";
import { useIsAdmin } from "../api/queries";
import { useText } from "../i18n";
import { EmptyState } from "../ui/EmptyState";
import { ErrorState } from "../ui/ErrorState";
import { Later } from "../ui/Later";
import { LinkButton } from "../ui/LinkButton";
import { NoneFound } from "../ui/NoneFound";
import { ContactRow } from "./ContactRow";
import styles from "./ContactsPage.module.css";
import { contactsQuery, filterOf, type ContactsSearch } from "./data";

export interface Selection {
  ids: ReadonlySet<string>;
  /** Everybody who matches, also those who are not loaded. */
  all: boolean;
}

interface Props {
  search: ContactsSearch;
  selection: Selection;
  select: (selection: Selection) => void;
  clear: () => void;
  add: () => void;
}

/** The people who match, of whom only those on the screen are drawn. */
export function ContactTable(props: Props) {
  const t = useText("contacts");
  const { selection, select } = props;
  const query = useInfiniteQuery(contactsQuery(props.search));
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const rows = useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data]);
  const box = useRef<HTMLDivElement>(null);
  // The virtualizer's functions change what they return without changing themselves, so the compiler must leave them.
  // eslint-disable-next-line react-hooks/incompatible-library
  const virtual = useVirtualizer({
    count: rows.length, getScrollElement: () => box.current, estimateSize: () => 52, overscan: 10, getItemKey: (i) => rows[i]?.id ?? i,
  });
  const visible = virtual.getVirtualItems();
  const last = visible.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && last >= rows.length - 30) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage, last, rows.length]);
  const choose = (id: string, on: boolean) => {
    const ids = new Set(selection.ids);
    if (on) ids.add(id);
    else ids.delete(id);
    select({ ids, all: false });
  };

  if (query.isPending) return <TableSkeleton />;
  if (query.isError && rows.length === 0) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  if (rows.length === 0) {
    const filtered = Object.values(filterOf(props.search)).some((value) => value !== undefined);
    return filtered ? <NoneFound icon="people" title={t.noneFound} clear={props.clear}>{t.noneFoundHint}</NoneFound> : <Nobody add={props.add} />;
  }
  return (
    <div ref={box} className={styles.scroll}>
      <ul aria-label={t.title} className={styles.list} style={{ height: virtual.getTotalSize() }}>
        {visible.map((item) => {
          const row = rows[item.index];
          return row && (
            <li key={item.key} className={styles.item} style={{ transform: `translateY(${item.start}px)` }}
              aria-setsize={hasNextPage ? -1 : rows.length} aria-posinset={item.index + 1}>
              <ContactRow contact={row} chosen={selection.all || selection.ids.has(row.id)} choose={(on) => choose(row.id, on)} />
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** Nobody is known yet. Admins can bring people in. */
function Nobody({ add }: { add: () => void }) {
  const t = useText("contacts");
  if (!useIsAdmin()) return <EmptyState icon="people" title={t.none}>{t.noneForAgents}</EmptyState>;
  const actions = (
    <Group gap={8} justify="center">
      <Button onClick={add}>{t.add}</Button>
      <LinkButton to="/contacts/import" variant="default">{t.importFile}</LinkButton>
    </Group>
  );
  return <EmptyState icon="people" title={t.none} action={actions}>{t.noneHint}</EmptyState>;
}

function TableSkeleton() {
  return (
    <div className={styles.scroll}>
      <Later>
        {Array.from({ length: 9 }, (_, i) => (
          <div key={i} className={styles.row}>
            <span />
            <Skeleton height={14} width="60%" />
          </div>
        ))}
      </Later>
    </div>
  );
}
