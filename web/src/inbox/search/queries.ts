import { queryOptions } from "@tanstack/react-query";
import { get } from "../../api/client";
import type { Conversation, Direction, MessageType, Named } from "../../api/types";

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

export type Section = "messages" | "notes" | "contacts";

export const searchQuery = (q: string, number?: string) =>
  queryOptions({
    queryKey: ["search", q, number ?? ""],
    queryFn: ({ signal }) => get<Results>("/search", { query: { q, number }, signal }),
    staleTime: 10_000,
  });

/** The next page of one section. */
export const searchMore = (q: string, section: Section, cursor: string, number?: string) =>
  get<Results>("/search", { query: { q, in: section, cursor, number } });
