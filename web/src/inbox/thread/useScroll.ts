import { useLayoutEffect, useRef, useState, type RefObject } from "react";
import type { Row } from "./arrange";
import { Follower } from "./follower";

interface Place {
  rows: Row[];
  /** Whether the last row is the newest of the thread. */
  live: boolean;
  /** The item to show first, of the address. */
  item?: string;
}

/** Keeps the place in the thread while rows come and go, and goes to the item that the address names. */
export function useScroll(box: RefObject<HTMLElement | null>, { rows, live, item }: Place) {
  const [follower] = useState(() => new Follower());
  const [atBottom, setAtBottom] = useState(true);
  const shown = useRef<string>(undefined);
  useLayoutEffect(() => (box.current ? follower.attach(box.current, setAtBottom) : undefined), [box, follower]);
  useLayoutEffect(() => {
    follower.settle(live);
    follower.observe();
    if (shown.current === item || rows.length === 0) return;
    shown.current = item;
    if (item) follower.reveal(item);
    else follower.follow();
  }, [rows, live, item, follower]);
  return { atBottom: atBottom && live, toBottom: () => follower.follow() };
}
