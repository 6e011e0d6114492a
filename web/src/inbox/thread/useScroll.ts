import { useLayoutEffect, useRef, useState, type RefObject } from "react";
import type { Row } from "./arrange";
import { Follower } from "./follower";

interface Place {
  rows: Row[];
  /** Whether the rows around the item are fetched. */
  ready: boolean;
  /** Whether the last row is the newest of the thread. */
  live: boolean;
  /** The item to show first, of the address. */
  item?: string;
}

/** Keeps the place in the thread while rows come and go, and goes to the item that the address names. */
export function useScroll(box: RefObject<HTMLElement | null>, { rows, ready, live, item }: Place) {
  const [follower] = useState(() => new Follower());
  const [atBottom, setAtBottom] = useState(true);
  const shown = useRef<string | null>(null);
  useLayoutEffect(() => (box.current ? follower.attach(box.current, setAtBottom) : undefined), [box, follower]);
  useLayoutEffect(() => {
    follower.settle(live);
    follower.observe();
    const wanted = ready ? (item ?? "") : null;
    if (shown.current === wanted) return;
    shown.current = wanted;
    if (!ready) return;
    if (item) follower.reveal(item);
    else follower.follow();
  }, [rows, ready, live, item, follower]);
  return { atBottom: atBottom && live, toBottom: () => follower.follow() };
}
