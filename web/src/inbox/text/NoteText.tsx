import { useQuery } from "@tanstack/react-query";
import { peopleQuery } from "../../api/queries";
import type { Note } from "../../api/types";
import { FormattedText } from "./FormattedText";
import { splitMentions } from "./mentions";
import styles from "./NoteText.module.css";

/** A note, with the colleagues that it mentions. */
export function NoteText({ note }: { note: Note }) {
  const people = useQuery({ ...peopleQuery, enabled: note.mentions.length > 0 }).data ?? [];
  const names = people.filter((p) => note.mentions.includes(p.id)).map((p) => p.name);
  return (
    <div className={styles.note}>
      {splitMentions(note.body, names).map((part, i) =>
        part.mention ? (
          <span key={i} className={styles.mention}>
            {part.text}
          </span>
        ) : (
          <FormattedText key={i} text={part.text} inline />
        ),
      )}
    </div>
  );
}
