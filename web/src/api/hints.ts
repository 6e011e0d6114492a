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
    case "numbers":
      return [["numbers"], ["me"]];
    case "hello":
    case "session":
      return [];
    default:
      return [[hint.kind]];
  }
}

/** Collects what hints make old and fetches it once per moment, however many hints come. */
export function invalidator(client: QueryClient, moment = 100): (hint: Hint) => void {
  const waiting = new Map<string, QueryKey>();
  const flush = () => {
    const keys = [...waiting.values()];
    waiting.clear();
    for (const queryKey of keys) void client.invalidateQueries({ queryKey });
  };
  return (hint) => {
    if (waiting.size === 0) setTimeout(flush, moment);
    for (const key of keysOf(hint)) waiting.set(JSON.stringify(key), key);
  };
}
