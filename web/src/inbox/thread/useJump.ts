import { useEffect, type RefObject } from "react";
import { useSearch } from "@tanstack/react-router";
import type { InboxSearch } from "../../router";
import type { Row } from "./arrange";

interface Pages {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

/** Scrolls to the item that the address names, and fetches older parts until it is there. */
export function useJump(box: RefObject<HTMLElement | null>, pages: Pages, rows: Row[]): void {
  const { item }: InboxSearch = useSearch({ strict: false });
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = pages;
  useEffect(() => {
    if (!item || rows.length === 0) return;
    if (reveal(box.current, item)) return;
    if (hasNextPage && !isFetchingNextPage) fetchNextPage();
  }, [item, rows, box, hasNextPage, isFetchingNextPage, fetchNextPage]);
}

const shown = new WeakMap<Element, string>();

/** Brings a row into view and lets it glow. False: it is not there. */
export function reveal(log: HTMLElement | null, key: string, again = false): boolean {
  const row = log?.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (!row) return false;
  if (!again && shown.get(row) === key) return true;
  shown.set(row, key);
  row.scrollIntoView({ block: "center" });
  row.animate([{ background: "var(--tint)" }, { background: "transparent" }], { duration: 1600, easing: "ease-out" });
  return true;
}
