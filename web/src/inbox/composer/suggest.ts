import type { Person, Reply } from "../../api/types";
import { mentionAt } from "../text/mentions";

export interface Option {
  id: string;
  title: string;
  detail: string;
  choose: { kind: "reply"; reply: Reply } | { kind: "mention"; person: Person };
}

export interface Offer {
  /** Where what was written begins; a choice takes the place of it. */
  from: number;
  options: Option[];
}

const most = 8;
const has = (text: string, words: string) => text.toLocaleLowerCase().includes(words.toLocaleLowerCase());

/** The canned replies for what stands after a slash at the start of the field or of a word. */
export function offerReplies(body: string, caret: number, replies: Reply[]): Offer | null {
  const match = /(?:^|\s)\/([^\n/]*)$/u.exec(body.slice(0, caret));
  if (!match) return null;
  const words = (match[1] ?? "").trim();
  const found = replies.filter((r) => has(r.name, words) || has(r.body, words));
  const byName = found.toSorted((a, b) => Number(has(b.name, words)) - Number(has(a.name, words)));
  return {
    from: caret - (match[1] ?? "").length - 1,
    options: byName.slice(0, most).map((reply) => ({
      id: reply.id,
      title: reply.name,
      detail: reply.body,
      choose: { kind: "reply", reply },
    })),
  };
}

/** The colleagues for what stands after an @. */
export function offerPeople(body: string, caret: number, people: Person[]): Offer | null {
  const at = mentionAt(body, caret);
  if (!at) return null;
  const found = people.filter((p) => !p.disabled && has(p.name, at.word)).slice(0, most);
  return {
    from: at.from,
    options: found.map((person) => ({
      id: person.id,
      title: person.name,
      detail: person.email,
      choose: { kind: "mention", person },
    })),
  };
}
