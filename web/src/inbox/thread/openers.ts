import { useEffect, useRef } from "react";

type Name = "assign" | "labels" | "snooze" | "reply" | "note" | "templates";

const listeners = new Map<Name, Set<() => void>>();

/** Lets a key, or another part of the page, open something: a menu, or a tab of the composer. */
export function useOpener(name: Name, open: () => void): void {
  const latest = useRef(open);
  useEffect(() => {
    latest.current = open;
  });
  useEffect(() => {
    const listener = () => latest.current();
    const all = listeners.get(name) ?? new Set();
    listeners.set(name, all.add(listener));
    return () => void all.delete(listener);
  }, [name]);
}

export function openPart(name: Name): void {
  listeners.get(name)?.forEach((open) => open());
}
