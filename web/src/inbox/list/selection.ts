import { useLayoutEffect } from "react";
import { Store, useStore } from "../../ui/store";

/** Which conversations are chosen for an action on many. */
interface Selection {
  selected: ReadonlySet<string>;
  /** Everything that the filter matches, not only what was fetched: each row is chosen, also one that comes later. */
  all: boolean;
  /** Where a range starts. */
  anchor: string | null;
}

const none: Selection = { selected: new Set(), all: false, anchor: null };
const store = new Store<Selection>(none);

export const useSelection = () => useStore(store);
export const clearSelection = () => store.set(none);
export const selectAll = () => store.set({ selected: new Set(order), all: true, anchor: null });

/** What is chosen belongs to one list. It must not outlive it: "all" would mean what the next filter matches. */
export function useSelectionOf(list: string): void {
  useLayoutEffect(() => clearSelection, [list]);
}

/** The rows in their order, for ranges. Rows do not know it: they would be drawn again whenever another one moves. */
let order: string[] = [];

export function setOrder(ids: string[]): void {
  order = ids;
}

/** Chooses a row or lets it go; with shift all between it and the one before. Of everything, what was fetched is left. */
export function toggle(id: string, range: boolean): void {
  const now = store.get();
  const selected = new Set(now.all ? order : now.selected);
  const [from, to] = [order.indexOf(now.anchor ?? ""), order.indexOf(id)];
  if (range && from >= 0 && to >= 0) {
    for (const between of order.slice(Math.min(from, to), Math.max(from, to) + 1)) selected.add(between);
  } else if (!selected.delete(id)) selected.add(id);
  store.set({ selected, all: false, anchor: id });
}
