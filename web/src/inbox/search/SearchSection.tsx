import { Button } from "@mantine/core";
import { useState } from "react";
import { useText } from "../../i18n";
import { toastError } from "../../ui/toasts";
import {
  searchMore,
  type FoundContact,
  type FoundMessage,
  type FoundNote,
  type Results,
  type Section,
  type Sought,
} from "./queries";
import { SearchHit } from "./SearchHit";
import styles from "./SearchResults.module.css";

type Item = FoundMessage | FoundNote | FoundContact;

const itemOf = (item: Item) => ("message_id" in item ? item.message_id : "note_id" in item ? item.note_id : undefined);

/** One kind of what was found, with a way to more of it. */
export function SearchSection({ section, sought, found }: { section: Section; sought: Sought; found: Results }) {
  const t = useText("inbox");
  const [more, setMore] = useState<{ items: Item[]; cursor: string | null } | null>(null);
  const first = found[section];
  const items: Item[] = [...first.items, ...(more?.items ?? [])];
  const cursor = more ? more.cursor : first.next_cursor;
  const fetchMore = () => {
    if (!cursor) return;
    searchMore(sought, section, cursor)
      .then((page) =>
        setMore({ items: [...(more?.items ?? []), ...page[section].items], cursor: page[section].next_cursor }),
      )
      .catch(toastError);
  };
  if (items.length === 0) return null;
  return (
    <>
      <h2>{t.searchSections[section]}</h2>
      <ul>
        {items.map((item) => (
          <li key={itemOf(item) ?? `${item.contact.id} ${item.number.phone_number_id}`}>
            <SearchHit found={item} item={itemOf(item)} at={"created_at" in item ? item.created_at : undefined} />
          </li>
        ))}
      </ul>
      {cursor && (
        <Button className={styles.more} variant="subtle" size="compact-sm" onClick={fetchMore}>
          {t.searchMore}
        </Button>
      )}
    </>
  );
}
