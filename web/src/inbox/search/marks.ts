import { unmarked } from "../text/format";
import type { Snippet } from "./queries";

/** The excerpt without the signs of its formatting; what was found stays marked. */
export function readable({ text, marks }: Snippet): Snippet {
  const plain = unmarked(text);
  const places: number[] = []; // where each character of the text is now, or would be
  let at = 0;
  for (let i = 0; i <= text.length; i++) {
    places.push(at);
    if (at < plain.length && text[i] === plain[at]) at++;
  }
  const moved = marks.map(([from, until]): [number, number] => [places[from] ?? 0, places[until] ?? 0]);
  return { text: plain, marks: moved.filter(([from, until]) => from < until) };
}

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
