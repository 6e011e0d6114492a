import type { Snippet } from "./queries";

/** Cuts a text into what was searched for and what stands around it. */
export function cut({ text, marks }: Snippet): { text: string; marked: boolean }[] {
  const parts: { text: string; marked: boolean }[] = [];
  let at = 0;
  for (const [from, until] of marks) {
    if (from < at || until > text.length) continue;
    if (from > at) parts.push({ text: text.slice(at, from), marked: false });
    parts.push({ text: text.slice(from, until), marked: true });
    at = until;
  }
  if (at < text.length) parts.push({ text: text.slice(at), marked: false });
  return parts;
}
