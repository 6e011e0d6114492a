import { useEffect, useRef, type RefObject } from "react";

/** How far before an end of the log is reached its next part is fetched, in pixels. */
const ahead = 900;

interface Edge {
  more: boolean;
  busy: boolean;
  /** When the parts that are there were fetched. A fetch that another one ended may leave no other trace. */
  fetchedAt: number;
  fetch: () => unknown;
}

/** Fetches more when an end of the log comes near. The mark that it returns belongs at that end. */
export function useEdge(log: RefObject<HTMLElement | null>, { more, busy, fetchedAt, fetch }: Edge): RefObject<HTMLDivElement | null> {
  const mark = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!mark.current || !more || busy) return;
    const watcher = new IntersectionObserver((seen) => seen.at(-1)?.isIntersecting && void fetch(), {
      root: log.current,
      rootMargin: `${ahead}px 0px`,
    });
    watcher.observe(mark.current);
    return () => watcher.disconnect();
  }, [log, more, busy, fetchedAt, fetch]);
  return mark;
}
