import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ErrorState } from "../../ui/ErrorState";
import { Composer } from "../composer/Composer";
import { conversationQuery, fromLists } from "../data/conversations";
import { useLooksAt } from "../notify/looking";
import { usePresence } from "../presence/usePresence";
import { Viewers } from "../presence/Viewers";
import { ThreadHeader } from "./ThreadHeader";
import { ThreadSkeleton } from "./ThreadSkeleton";
import { Timeline } from "./Timeline";
import { useMarkRead } from "./useMarkRead";
import { useThreadKeys } from "./useThreadKeys";

/** One conversation: who, what was said, and the answer being written. */
export function ThreadPane({ id }: { id: string }) {
  const client = useQueryClient();
  const query = useQuery({ ...conversationQuery(id), placeholderData: () => fromLists(client, id) });
  const conversation = query.data;
  const presence = usePresence(id);
  useMarkRead(id, conversation);
  useLooksAt(id);
  useThreadKeys(conversation);
  if (query.isError && !conversation) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  if (!conversation) return <ThreadSkeleton />;
  return (
    <>
      <ThreadHeader conversation={conversation} />
      <Timeline conversation={conversation} />
      <Viewers people={presence.others} />
      <Composer conversation={conversation} presence={presence} />
    </>
  );
}
