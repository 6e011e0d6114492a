import { useLocation } from "@tanstack/react-router";
import { useEffect, useRef, type RefObject } from "react";

/** Brings the entry of the page that is shown into view, where a row of entries is too wide. `known` is what changes their width. */
export function useCurrentInView<T extends HTMLElement>(known?: unknown): RefObject<T | null> {
  const row = useRef<T>(null);
  const { pathname } = useLocation();
  useEffect(() => {
    const current = row.current?.querySelector("[aria-current=page], [aria-selected=true]");
    current?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [pathname, known]);
  return row;
}
