import { useEffect, useMemo, useRef } from "react";
import { useText } from "../../i18n";
import { useCommands } from "../../shell/commands";
import type { Conversation } from "../../api/types";
import { usePlace } from "../place";
import { focusedRow, focusRow } from "./focused";

/** Where somebody was in the list. */
interface Spot {
  id: string | undefined;
  index: number;
}

/** Gives the focus of a row that is gone to the one in its place. */
function inherit(rows: Conversation[], { index }: Spot): void {
  if (focusedRow.get() === undefined || document.activeElement !== document.body) return;
  const heir = rows[Math.min(index, rows.length - 1)];
  if (heir) focusRow(heir.id);
  else focusedRow.set(undefined);
}

/**
 * j and k go through the list, o opens what has the focus. A row that goes away, because it was resolved for instance,
 * hands its place and its focus on to the one that follows.
 */
export function useListKeys(rows: Conversation[], reveal: (index: number) => void): void {
  const t = useText("inbox");
  const { conversation: open, open: go } = usePlace();
  const spot = useRef<Spot>({ id: undefined, index: -1 });
  useEffect(() => {
    const look = () => {
      const id = focusedRow.get() ?? open ?? spot.current.id;
      const index = rows.findIndex((c) => c.id === id);
      if (index >= 0) spot.current = { id, index };
      return index;
    };
    if (look() < 0) inherit(rows, spot.current);
    return focusedRow.watch(() => void look());
  }, [rows, open]);
  const commands = useMemo(() => {
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
      spot.current = { id: row.id, index };
      reveal(index);
      requestAnimationFrame(() => focusRow(row.id));
    };
    const openFocused = () => {
      const row = rows[here()];
      if (row) go(row.id);
    };
    const group = t.title;
    return [
      { id: "inbox.next", title: t.keys.next, group, keys: "j", run: () => move(1) },
      { id: "inbox.previous", title: t.keys.previous, group, keys: "k", run: () => move(-1) },
      { id: "inbox.open", title: t.keys.open, group, keys: "o", run: openFocused },
    ];
  }, [rows, reveal, open, go, t]);
  useCommands(commands);
}
