import type { MessageType } from "../../api/types";

const megabyte = 1_000_000;
/** What the server takes at most. */
export const largest = 100 * 1024 * 1024;

type Kind = Extract<MessageType, "image" | "video" | "audio" | "document">;

const kinds: { kind: Kind; types: RegExp; most: number }[] = [
  { kind: "image", types: /^image\/(jpeg|png)$/u, most: 5 * megabyte },
  { kind: "video", types: /^video\/(mp4|3gpp)$/u, most: 16 * megabyte },
  { kind: "audio", types: /^audio\/(aac|amr|mpeg|mp4|ogg)\b/u, most: 16 * megabyte },
];

/** A file of the library that goes with a message: the server has it already. */
export interface StoredFile {
  id: string;
  name: string;
  type: string;
  size: number;
  /** Where it is, on this host. */
  path: string;
}

export type Attached = File | StoredFile;

export const isStored = (file: Attached): file is StoredFile => "id" in file;

/** The files of what is pasted. Of a text, office programs put a picture beside it: then the text is meant. */
export function pastedFiles({ files, types }: Pick<DataTransfer, "files" | "types">): File[] {
  const text = types.includes("text/plain") && (types.includes("text/html") || types.includes("text/rtf"));
  return text ? [] : [...files];
}

/** What a file is sent as: what the network does not show as a picture, film or sound goes as a document. */
export function kindOf(file: Pick<File, "type" | "size">): Kind {
  return kinds.find(({ types, most }) => types.test(file.type) && file.size <= most)?.kind ?? "document";
}

/** The content of a file's message. A sound has no caption. */
export function contentOf(
  file: Pick<File, "type" | "size" | "name">,
  caption: string,
): { type: Kind; [content: string]: unknown } {
  const type = kindOf(file);
  const words = caption && type !== "audio" ? { caption } : {};
  return { type, [type]: type === "document" ? { ...words, filename: file.name.slice(0, 240) } : words };
}
