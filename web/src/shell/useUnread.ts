import { useQuery } from "@tanstack/react-query";
import { countsQuery } from "../api/queries";
import { useStore } from "../ui/store";
import { preferences } from "./preferences";

/** A count that stops at 1000. */
export function countText(count: number): string {
  return count >= 1000 ? "999+" : String(count);
}

/** How many conversations are unread among those that the user wants to hear of. */
export function useUnread(): number {
  const { about } = useStore(preferences);
  const counts = useQuery({ ...countsQuery(), throwOnError: false }).data;
  if (!counts) return 0;
  if (about === "all") return counts.all.unread;
  return counts.mine.unread + (about === "mine" ? 0 : counts.unassigned.unread);
}
