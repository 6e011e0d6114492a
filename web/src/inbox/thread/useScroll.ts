import { useLayoutEffect, useState, type RefObject } from "react";
import type { Row } from "./arrange";
import { Follower } from "./follower";

/** Keeps the place in the thread while rows come and go. */
export function useScroll(box: RefObject<HTMLElement | null>, rows: Row[]) {
  const [follower] = useState(() => new Follower());
  const [atBottom, setAtBottom] = useState(true);
  useLayoutEffect(() => (box.current ? follower.attach(box.current, setAtBottom) : undefined), [box, follower]);
  useLayoutEffect(() => {
    follower.settle();
    follower.observe();
  }, [rows, follower]);
  return { atBottom, toBottom: () => follower.toBottom() };
}
