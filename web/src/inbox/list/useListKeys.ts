import { useEffect, useLayoutEffect, useMemo, useRef, type KeyboardEvent } from "react";
import { useText } from "../../i18n";
import { useCommands } from "../../shell/commands";
import type { Conversation } from "../../api/types";
import { useStore } from "../../ui/store";
import { usePlace } from "../place";
import { focusedRow, focusRow, goToRow } from "./focused";

const steps: Record<string, number | undefined> = { ArrowDown: 1, ArrowUp: -1 };

/** Where somebody was in the list. */
interface Spot {
  id: string | undefined;
  index: number;
}

/** Lets the focus follow to the row that is to have it, unless somebody has gone elsewhere. */
function follow(id: string): void {
  const active = document.activeElement;
  const row = active?.closest<HTMLElement>("[data-row]");
  if ((active && active !== document.body && !row) || row?.dataset.row === id) return;
  focusRow(id);
}

/** Hands the focus from the list to what is said in the open conversation. */
function toThread(): void {
  focusedRow.set(undefined);
  const active = document.activeElement;
  if (!active || active === document.body || active.closest("[data-row]")) document.querySelector<HTMLElement>("[role=log]")?.focus();
}

/**
 * j and k go through the list, o opens what has the focus. A row that goes away, because it was resolved for instance,
 * hands its place and its focus on to the one that follows: in the same moment, so that no key falls between the two.
 * The open conversation is an exception while it `goesOn`: assigned, or read in a list of what is unread, it is still the
 * one that the keys mean, or an answer would be begun to somebody else.
 * What is returned is for what has the rows: there the arrow keys do the same.
 */
export function useListKeys(rows: Conversation[], reveal: (index: number) => void, goesOn: (id: string) => boolean) {
  const t = useText("inbox");
  const { conversation: open, open: go } = usePlace();
  const spot = useRef<Spot>({ id: undefined, index: -1 });
  const focused = useStore(focusedRow);
  useLayoutEffect(() => {
    const id = focused ?? open ?? spot.current.id;
    const index = rows.findIndex((c) => c.id === id);
    if (index >= 0) spot.current = { id, index };
    if (focused === undefined) return;
    if (index >= 0) follow(focused);
    else if (focused === open && goesOn(focused)) toThread();
    else focusedRow.set(rows[Math.min(spot.current.index, rows.length - 1)]?.id);
  });
  useEffect(() => () => focusedRow.set(undefined), []);
  const [commands, move] = useMemo(() => {
    const here = () => rows.findIndex((c) => c.id === (focusedRow.get() ?? open ?? spot.current.id));
    const after = (step: number) => {
      const at = here();
      if (at >= 0) return at + step;
      return spot.current.index < 0 ? 0 : spot.current.index + Math.min(step, 0);
    };
    const move = (step: number) => {
      const index = Math.min(rows.length - 1, Math.max(0, after(step)));
      const row = rows[index];
      if (!row) return;
      reveal(index);
      goToRow(row.id);
    };
    const openFocused = () => {
      const row = rows[here()];
      if (row) go(row.id);
    };
    const group = t.title;
    const offered = [
      { id: "inbox.next", title: t.keys.next, group, keys: "j", run: () => move(1) },
      { id: "inbox.previous", title: t.keys.previous, group, keys: "k", run: () => move(-1) },
      { id: "inbox.open", title: t.keys.open, group, keys: "o", run: openFocused },
    ];
    return [offered, move] as const;
  }, [rows, reveal, open, go, t]);
  useCommands(commands);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || focusedRow.get() === undefined) return;
    event.preventDefault();
    move(step);
  };
  return { onKeyDown };
}
