import { useEffect } from "react";
import { useSteadyFunction } from "../../ui/useSteadyFunction";

export type OpenerName = "assign" | "labels" | "snooze" | "reply" | "note" | "templates";

/** What is to be opened as soon as it is there. */
let next: OpenerName | undefined;

const listeners = new Map<OpenerName, Set<() => void>>();

/** Lets a key, or another part of the page, open something: a menu, or a tab of the composer. */
export function useOpener(name: OpenerName, open: () => void): void {
  const listener = useSteadyFunction(open);
  useEffect(() => {
    const all = listeners.get(name) ?? new Set();
    listeners.set(name, all.add(listener));
    if (next === name) {
      next = undefined;
      listener();
    }
    return () => void all.delete(listener);
  }, [name, listener]);
}

export function openPart(name: OpenerName): void {
  listeners.get(name)?.forEach((open) => open());
}

/** Opens a part of the thread that is shown next. */
export function openPartNext(name: OpenerName): void {
  next = name;
}
