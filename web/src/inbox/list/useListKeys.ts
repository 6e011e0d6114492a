import { useMemo } from "react";
import { useText } from "../../i18n";
import { useCommands } from "../../shell/commands";
import type { Conversation } from "../../api/types";
import { usePlace } from "../place";

const focusRow = (id: string) => document.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`)?.focus();

/** j and k go through the list, o opens what has the focus. */
export function useListKeys(rows: Conversation[], reveal: (index: number) => void): void {
  const t = useText("inbox");
  const { conversation: open, open: go } = usePlace();
  const commands = useMemo(() => {
    const here = () => {
      const focused = document.activeElement?.getAttribute("data-row");
      return rows.findIndex((c) => c.id === (focused ?? open));
    };
    const move = (step: number) => {
      const at = here();
      const index = at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + step));
      const row = rows[index];
      if (!row) return;
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
