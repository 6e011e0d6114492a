import { Link } from "@tanstack/react-router";
import { Avatar } from "../../ui/Avatar";
import { Time } from "../../ui/Time";
import { nameOf } from "../data/conversations";
import { inboxPath, usePlace } from "../place";
import type { FoundContact } from "./queries";
import { cut, readable } from "./marks";
import styles from "./SearchResults.module.css";

/** Something that was found; it leads to its place in the thread. */
export function SearchHit({ found, item, at }: { found: FoundContact; item?: string; at?: string }) {
  const { view, search } = usePlace();
  const name = nameOf(found);
  const inside = (
    <>
      <Avatar name={name} id={found.contact.id} size={32} />
      <span>
        <b dir="auto">{name}</b>
        <span className={styles.words} dir="auto">
          {cut(readable(found.snippet)).map((part, i) => (part.marked ? <mark key={i}>{part.text}</mark> : part.text))}
        </span>
      </span>
      {at && <Time value={at} />}
    </>
  );
  if (!found.conversation_id)
    return (
      <Link className={styles.hit} data-hit="" to="/contacts/$id" params={{ id: found.contact.id }}>
        {inside}
      </Link>
    );
  return (
    <Link
      className={styles.hit} data-hit=""
      to={inboxPath}
      params={{ view, conversation: found.conversation_id }}
      search={{ ...search, item }}
      activeProps={{}}
    >
      {inside}
    </Link>
  );
}
