import { useQuery } from "@tanstack/react-query";
import { useId, useMemo, useState, type KeyboardEvent } from "react";
import { peopleQuery, repliesQuery } from "../../api/queries";
import type { Conversation, Me, Reply } from "../../api/types";
import { offerPeople, offerReplies, type Option } from "./suggest";
import { asked, fill, type Known } from "./variables";
import type { WritingState } from "./useWriting";

export interface SuggestionsState {
  id: string;
  options: Option[];
  active: number;
  activeId: string | undefined;
  choose: (option: Option) => void;
  /** True: the key was for the suggestions. */
  onKey: (event: KeyboardEvent) => boolean;
  /** A canned reply that waits for values. */
  asking: { reply: Reply; names: string[] } | null;
  answer: (values: Record<string, string> | null) => void;
}

/** What is offered while one writes: canned replies, and colleagues in a note. */
export function useSuggestions(c: Conversation, writing: WritingState, caret: number, me: Me): SuggestionsState {
  const id = useId();
  const { body, note } = writing.draft;
  const [refused, setRefused] = useState("");
  const [active, setActive] = useState(0);
  const [asking, setAsking] = useState<{ reply: Reply; names: string[]; from: number } | null>(null);
  const wanted = body.includes("/") || (note && body.includes("@"));
  const replies = useQuery({ ...repliesQuery, enabled: wanted }).data;
  const people = useQuery({ ...peopleQuery, enabled: wanted && note }).data;
  const offer = useMemo(() => {
    if (body === refused) return null;
    return (note ? offerPeople(body, caret, people ?? []) : null) ?? offerReplies(body, caret, replies ?? []);
  }, [body, caret, note, people, replies, refused]);
  const known: Known = { contact: c.contact.name, agent: me.user.name };
  const options = (offer?.options ?? []).map((option) => ({ ...option, detail: fill(option.detail, known) }));
  const at = Math.min(active, options.length - 1);

  const put = (from: number, words: string) => {
    const next = body.slice(0, from) + words + body.slice(caret);
    setRefused(next);
    writing.write(next);
    setActive(0);
  };
  // A note has no files.
  const putReply = (from: number, reply: Reply, values?: Record<string, string>) => {
    put(from, fill(reply.body, known, values));
    if (reply.media_id && !note) writing.addStored(reply.media_id);
  };
  const choose = ({ choose: chosen }: Option) => {
    if (!offer) return;
    if (chosen.kind === "mention") return put(offer.from, `@${chosen.person.name} `);
    const names = asked(chosen.reply.body, known);
    if (names.length > 0) setAsking({ reply: chosen.reply, names, from: offer.from });
    else putReply(offer.from, chosen.reply);
  };
  const onKey = (event: KeyboardEvent): boolean => {
    const option = options[at];
    if (!option || event.nativeEvent.isComposing) return false;
    if (event.key === "ArrowDown") setActive((at + 1) % options.length);
    else if (event.key === "ArrowUp") setActive((at + options.length - 1) % options.length);
    else if (event.key === "Escape") setRefused(body);
    else if (event.key === "Enter" || event.key === "Tab") choose(option);
    else return false;
    event.preventDefault();
    return true;
  };
  const answer = (values: Record<string, string> | null) => {
    if (asking && values) putReply(asking.from, asking.reply, values);
    setAsking(null);
  };
  return { id, options, active: at, activeId: options[at] && `${id}-${at}`, choose, onKey, asking, answer };
}
