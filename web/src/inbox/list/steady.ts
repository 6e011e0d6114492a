/** The order in which rows are shown, and how many wait to be moved. */
export interface Steady {
  order: string[];
  waiting: number;
}

/**
 * Keeps rows where they are while somebody points at them: those that are known keep their place, those that are
 * new or would move up wait. Rows below the known ones, which scrolling has fetched, are added. Where none is known so
 * much has come that all of them wait.
 */
export function hold(shown: string[], fresh: string[]): Steady {
  if (shown.length === 0) return { order: fresh, waiting: 0 };
  const place = new Map(shown.map((id, i) => [id, i]));
  const lastKnown = fresh.findLastIndex((id) => place.has(id));
  if (lastKnown < 0) return { order: shown, waiting: fresh.length };
  let lowest = Number.POSITIVE_INFINITY;
  let waiting = 0;
  for (const id of fresh.slice(0, lastKnown + 1).reverse()) {
    const at = place.get(id);
    if (at === undefined || at > lowest) waiting++;
    else lowest = at;
  }
  return { order: [...shown, ...fresh.slice(lastKnown + 1)], waiting };
}
