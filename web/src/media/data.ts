import { queryOptions } from "@tanstack/react-query";
import { get, pages, send } from "../api/client";

export type MediaKind = "image" | "video" | "audio" | "document";

/** A file of the library of a number's team. */
export interface LibraryFile {
  id: string;
  mime_type: string;
  size: number;
  filename: string | null;
  /** Where it is, on this host. */
  path: string;
  created_at: string;
}

/** What the address of the page may say. */
export interface MediaSearch {
  q?: string;
  kind?: MediaKind;
  number?: string;
  file?: string;
}

export interface Uses {
  replies: string[];
  other_replies: number;
  templates: { name: string; language: string }[];
  template_drafts: string[];
  broadcasts: string[];
  messages: number;
}

export function kindOfType(mimeType: string): MediaKind {
  const kind = mimeType.split("/")[0];
  return kind === "image" || kind === "video" || kind === "audio" ? kind : "document";
}

export const libraryQuery = (number: string, { kind, q }: Pick<MediaSearch, "kind" | "q">) =>
  pages<LibraryFile>(["media", "list", number, kind, q], `/${number}/media`, { kind, search: q?.trim() || undefined, limit: 60 });

export const usesQuery = (number: string, id: string) =>
  queryOptions({ queryKey: ["media", "uses", number, id], queryFn: () => get<Uses>(`/${number}/media/${id}/uses`), staleTime: 0 });

/** A file by its id, as a message or a canned reply names it. */
export const fileQuery = (number: string, id: string) =>
  queryOptions({
    queryKey: ["media", "one", number, id],
    queryFn: async () => {
      const found = await get<Omit<LibraryFile, "path"> & { url: string }>(`/${number}/media/${id}`);
      const file: LibraryFile = { ...found, path: new URL(found.url).pathname };
      return file;
    },
    retry: false,
  });

export const deleteFile = (number: string, id: string) => send("DELETE", `/${number}/media/${id}`);
