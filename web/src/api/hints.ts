import type { QueryClient, QueryKey } from "@tanstack/react-query";
import type { Hint } from "./types";

/**
 * Which queries a hint makes old. Keys begin with what they hold: ["conversation", id, …] is one conversation
 * and all that belongs to it, ["conversations", …] the lists of them.
 */
export function keysOf(hint: Hint): QueryKey[] {
  switch (hint.kind) {
    case "conversation":
      return [["conversation", hint.id], ["conversations"], ["counts"]];
    case "inbox":
      return [["conversations"], ["counts"]];
    case "presence":
      return [["presence", hint.id]];
    case "people":
      return [["people"], ["users"], ["teams"], ["me"]];
    case "organization":
      return [["organization"], ["me"]];
    case "customers": // a number shows whose it is
      return [["customers"], ["numbers"]];
    case "numbers":
      return [["numbers"], ["me"]];
    case "all": // everything is fetched again
    case "hello":
    case "session":
      return [];
    default:
      return [[hint.kind]];
  }
}

/** The longest rest after a round. While messages pour in, a list that moves thrice a second is fast enough. */
const rest = 300;

/** A fetch that takes longer does not hold up what comes after it. */
const patience = 3_000;

/**
 * Collects what hints make old and fetches it in rounds, however many hints come. A round ends before the next
 * begins: to fetch anew while a fetch is under way would break that one off, and under a flood none would end.
 */
export function invalidator(client: QueryClient, moment = 100): (hint: Hint) => void {
  const waiting = new Map<string, QueryKey>();
  let busy = false;
  let rounds = 0; // without a pause
  const round = async () => {
    const keys = [...waiting.values()];
    waiting.clear();
    const fetched = Promise.allSettled(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
    await Promise.race([fetched, new Promise((done) => setTimeout(done, patience))]);
    rounds++;
    const wait = Math.min(rounds * moment, rest);
    setTimeout(() => {
      busy = waiting.size > 0;
      if (busy) void round();
      else rounds = 0;
    }, wait);
  };
  return (hint) => {
    for (const key of keysOf(hint)) waiting.set(JSON.stringify(key), key);
    if (busy || waiting.size === 0) return;
    busy = true;
    setTimeout(() => void round(), moment);
  };
}
