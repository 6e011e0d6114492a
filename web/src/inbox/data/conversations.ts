import { queryOptions, type InfiniteData, type QueryClient, type QueryKey } from "@tanstack/react-query";
import { get, pages, type Page } from "../../api/client";
import type { Conversation, ConversationFilter } from "../../api/types";
import { phoneOf } from "../../ui/phone";

export const pageSize = 50;

export const conversationsQuery = (filter: ConversationFilter) =>
  pages<Conversation>(["conversations", filter], "/conversations", { ...filter, limit: pageSize });

/** How many conversations a filter lets pass. */
export const matchingQuery = (filter: ConversationFilter) =>
  queryOptions({
    queryKey: ["counts", "matching", filter],
    queryFn: ({ signal }) => get<{ count: number }>("/conversations/matching", { query: { ...filter }, signal }),
  });

export const conversationQuery = (id: string) =>
  queryOptions({
    queryKey: ["conversation", id],
    queryFn: ({ signal }) => get<Conversation>(`/conversations/${id}`, { signal }),
  });

type Lists = InfiniteData<Page<Conversation>>;

const kept = 2;

/** Forgets what was fetched by scrolling down, so that each change does not fetch all of it again. */
export function forgetLower(client: QueryClient, filter: ConversationFilter): void {
  client.setQueryData<Lists>(["conversations", filter], (lists) =>
    lists && lists.pages.length > kept
      ? { pages: lists.pages.slice(0, kept), pageParams: lists.pageParams.slice(0, kept) }
      : lists,
  );
}

/** Whether a list has conversations of a status: the open ones, unless it says otherwise. What is snoozed is pending. */
function hasStatus({ view, status = "open" }: ConversationFilter, of: Conversation["status"]): boolean {
  const wanted = view === "snoozed" ? "pending" : status;
  return wanted === "any" || wanted === of;
}

/** Puts a row where it was: over the one that is there, or in its old place. */
function putBack(client: QueryClient, key: QueryKey, row: Conversation, at: { page: number; place: number }): void {
  client.setQueryData<Lists>(key, (lists) => {
    if (!lists) return lists;
    const there = lists.pages.some((page) => page.data.some((c) => c.id === row.id));
    const rows = (data: Conversation[], page: number) => {
      if (there) return data.map((c) => (c.id === row.id ? row : c));
      return page === at.page ? data.toSpliced(at.place, 0, row) : data;
    };
    return { ...lists, pages: lists.pages.map((page, i) => ({ ...page, data: rows(page.data, i) })) };
  });
}

/**
 * Changes a conversation wherever it is on screen, before the server has answered. A list that has no such conversations
 * loses it at once: whoever works through one by keys must not meet the same row twice. What it returns takes the change
 * back: a server that is not reached cannot say what is true.
 */
export function showChange(client: QueryClient, id: string, change: (c: Conversation) => Conversation): () => void {
  const back: (() => void)[] = [];
  const shown = client.getQueryData<Conversation>(["conversation", id]);
  if (shown) {
    client.setQueryData<Conversation>(["conversation", id], change(shown));
    back.push(() => client.setQueryData<Conversation>(["conversation", id], shown));
  }
  for (const [key, lists] of client.getQueriesData<Lists>({ queryKey: ["conversations"] })) {
    const before = lists && lists.pages.flatMap((page) => page.data).find((c) => c.id === id);
    if (!before) continue;
    const after = change(before);
    const page = lists.pages.findIndex(({ data }) => data.includes(before));
    const place = lists.pages[page]?.data.indexOf(before) ?? 0;
    back.push(() => putBack(client, key, before, { page, place }));
    const filter = key[1] as ConversationFilter;
    const leaves = hasStatus(filter, before.status) && !hasStatus(filter, after.status);
    const rows = (page: Page<Conversation>) => page.data.flatMap((c) => (c.id !== id ? [c] : leaves ? [] : [after]));
    client.setQueryData<Lists>(key, { ...lists, pages: lists.pages.map((page) => ({ ...page, data: rows(page) })) });
  }
  return () => back.forEach((take) => take());
}

/** A conversation that a list has already fetched: the thread's header need not wait for it. */
export function fromLists(client: QueryClient, id: string): Conversation | undefined {
  for (const [, lists] of client.getQueriesData<Lists>({ queryKey: ["conversations"] })) {
    const found = lists?.pages.flatMap((page) => page.data).find((c) => c.id === id);
    if (found) return found;
  }
  return undefined;
}

/** Fetches again what shows conversations. */
export function refresh(client: QueryClient, id?: string): void {
  if (id) void client.invalidateQueries({ queryKey: ["conversation", id] });
  void client.invalidateQueries({ queryKey: ["conversations"] });
  void client.invalidateQueries({ queryKey: ["counts"] });
}

/** Who a conversation is with: the name, else what is known instead of it. */
export function nameOf(c: Pick<Conversation, "contact">): string {
  return c.contact.name ?? phoneOf(c.contact.phone_number) ?? c.contact.username ?? c.contact.bsuid ?? c.contact.id;
}
