import { useEffect, useMemo, useState, type RefObject } from "react";
import type { Conversation } from "../../api/types";
import { hold } from "./steady";

interface Shown {
  key: string;
  order: string[];
  known: Map<string, Conversation>;
}

/**
 * The rows in an order that stays while the pointer is over them or the list is scrolled down. `key` names the
 * list: another list starts anew. `pointing` is for what has the rows and all that lies above them.
 */
export function useSteady(fresh: Conversation[], key: string, box: RefObject<HTMLElement | null>) {
  const [inside, setInside] = useState(false);
  const [scrolled, setScrolled] = useState(false);
  const [shown, setShown] = useState<Shown>({ key, order: [], known: new Map() });
  const held = (inside || scrolled) && shown.key === key;
  const next = useMemo(() => {
    const ids = fresh.map((c) => c.id);
    return held ? hold(shown.order, ids) : { order: ids, waiting: 0 };
  }, [fresh, held, shown.order]);

  const rows = useMemo(() => {
    const known = new Map([...(held ? shown.known : []), ...fresh.map((c) => [c.id, c] as const)]);
    return next.order.map((id) => known.get(id)).filter((c) => c !== undefined);
  }, [fresh, next, held, shown.known]);

  // What is shown now is what the next look holds on to. It settles at once: the order is compared by value.
  if (shown.key !== key || shown.order.join() !== next.order.join())
    setShown({ key, order: next.order, known: new Map(rows.map((c) => [c.id, c])) });

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = () => setScrolled(element.scrollTop > 8);
    element.addEventListener("scroll", look, { passive: true });
    return () => element.removeEventListener("scroll", look);
  });

  // The pointer is still inside: from now on this order is held.
  const release = () => {
    box.current?.scrollTo({ top: 0 });
    setShown({ key, order: fresh.map((c) => c.id), known: new Map(fresh.map((c) => [c.id, c])) });
  };
  // A move too: the rows may have come under a pointer that rests.
  const [point, leave] = [() => setInside(true), () => setInside(false)];
  const pointing = { onPointerEnter: point, onPointerMove: point, onPointerLeave: leave };
  return { rows, waiting: next.waiting, release, pointing };
}
