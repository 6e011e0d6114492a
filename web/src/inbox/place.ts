import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import type { ConversationFilter, InboxView } from "../api/types";
import type { InboxSearch } from "./address";

export const inboxPath = "/inbox/$view/{-$conversation}";

const views: readonly InboxView[] = ["mine", "unassigned", "all", "mentions", "snoozed"];

const isView = (text: string | undefined): text is InboxView => views.includes(text as InboxView);

/** Where in the inbox somebody is. All of it is in the address: it can be reloaded and shared. */
export interface Place {
  view: InboxView;
  conversation: string | undefined;
  search: InboxSearch;
  filter: ConversationFilter;
  open: (conversation: string | undefined, item?: string) => void;
  /** Shows another list; the open thread stays open. */
  show: (change: Change) => void;
}

interface Change {
  view?: InboxView;
  search?: InboxSearch;
  /** It takes the place of what was shown: one does not go back to that. */
  replace?: boolean;
}

export function usePlace(): Place {
  const params = useParams({ strict: false });
  const search: InboxSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const view = isView(params.view) ? params.view : "mine";
  const { conversation } = params;

  const filter = useMemo(() => filterOf(view, search), [view, search]);
  const open = useCallback(
    (id: string | undefined, item?: string) =>
      void navigate({ to: inboxPath, params: { view, conversation: id }, search: { ...search, item } }),
    [navigate, view, search],
  );
  const show = useCallback(
    (change: Change) =>
      void navigate({
        to: inboxPath,
        params: { view: change.view ?? view, conversation },
        search: change.search ?? { ...search, item: undefined },
        replace: change.replace,
      }),
    [navigate, view, conversation, search],
  );
  return { view, conversation, search, filter, open, show };
}

/** What of an address narrows the list. Whoever is mentioned is also asked where all was resolved. */
export function filterOf(view: InboxView, search: InboxSearch): ConversationFilter {
  const { status = view === "mentions" ? "any" : undefined, number, label_id, assigned_to, team_id, unread, sort } = search;
  return { view, status, number, label_id, assigned_to, team_id, unread, sort };
}
