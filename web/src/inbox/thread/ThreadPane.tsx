import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { isMissing } from "../../api/client";
import type { Conversation } from "../../api/types";
import { useText } from "../../i18n";
import { ErrorState } from "../../ui/ErrorState";
import { Missing } from "../../ui/Missing";
import { Composer } from "../composer/Composer";
import { conversationQuery, fromLists } from "../data/conversations";
import { useLooksAt } from "../notify/looking";
import { usePlace } from "../place";
import { usePresence } from "../presence/usePresence";
import { Viewers } from "../presence/Viewers";
import { ThreadHeader } from "./ThreadHeader";
import { ThreadSkeleton } from "./ThreadSkeleton";
import { Timeline } from "./Timeline";
import { useMarkRead } from "./useMarkRead";

/** One conversation: who, what was said, and the answer being written. */
export function ThreadPane({ id }: { id: string }) {
  const client = useQueryClient();
  const query = useQuery({ ...conversationQuery(id), placeholderData: () => fromLists(client, id) });
  const conversation = query.data;
  if (!conversation && isMissing(query.error)) return <NoSuch />;
  if (query.isError && !conversation) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  if (!conversation) return <ThreadSkeleton />;
  return <Thread conversation={conversation} />;
}

/** Nobody is told that somebody looks at a conversation before it is known that there is one. */
function Thread({ conversation }: { conversation: Conversation }) {
  const { id } = conversation;
  const presence = usePresence(id);
  useMarkRead(id, conversation);
  useLooksAt(id);
  return (
    <>
      <ThreadHeader conversation={conversation} />
      <Timeline conversation={conversation} />
      <Viewers people={presence.others} />
      <Composer conversation={conversation} presence={presence} />
    </>
  );
}

/** The address names a conversation that is gone, or that is not for this person. */
function NoSuch() {
  const t = useText("inbox");
  const { open } = usePlace();
  return (
    <Missing icon="inbox" title={t.missing} back={<Button variant="default" onClick={() => open(undefined)}>{t.back}</Button>} />
  );
}
