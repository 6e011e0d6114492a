import { queryOptions } from "@tanstack/react-query";
import { get } from "../../api/client";
import { serverNow } from "../../api/clock";
import type { Conversation, Direction, MessageType, Named } from "../../api/types";
import type { SearchSection, Since } from "../address";

export interface Snippet {
  text: string;
  /** Where the words are: from and until. */
  marks: [number, number][];
}

interface Found {
  conversation_id: string | null;
  contact: Conversation["contact"];
  number: Conversation["number"];
  snippet: Snippet;
}

export type FoundMessage = Found & { message_id: string; direction: Direction; type: MessageType; created_at: string };
export type FoundNote = Found & { note_id: string; author: Named; created_at: string };
export type FoundContact = Found;

interface Part<T> {
  items: T[];
  next_cursor: string | null;
}

export interface Results {
  messages: Part<FoundMessage>;
  notes: Part<FoundNote>;
  contacts: Part<FoundContact>;
  indexing: boolean;
}

export type Section = SearchSection;

/** What is looked for, and where. */
export interface Sought {
  q: string;
  in?: Section;
  number?: string;
  since?: Since;
}

const daysBack: Record<Since, number> = { today: 0, week: 6, month: 29, year: 364 };

/** The first instant of a time span, whose days are the reader's. */
export function beginOf(since: Since, now = new Date(serverNow())): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysBack[since]);
}

const queryOf = ({ since, ...sought }: Sought) => ({ ...sought, from: since && beginOf(since).toISOString() });

export const searchQuery = (sought: Sought) =>
  queryOptions({
    queryKey: ["search", sought],
    queryFn: ({ signal }) => get<Results>("/search", { query: queryOf(sought), signal }),
    staleTime: 10_000,
  });

/** The next page of one section. */
export const searchMore = (sought: Sought, section: Section, cursor: string) =>
  get<Results>("/search", { query: { ...queryOf(sought), in: section, cursor } });
