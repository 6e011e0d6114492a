import { Tooltip } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { part } from "../../api/part";
import { useText } from "../../i18n";
import { PhoneButton } from "../../phone/PhoneButton";
import { IconButton } from "../../ui/IconButton";
import { usePlace } from "../place";
import { SearchFilters } from "../search/SearchFilters";
import { ConversationList } from "./ConversationList";
import { FilterMenu } from "./FilterMenu";
import { ListSkeleton } from "./ListSkeleton";
import { ListTabs } from "./ListTabs";
import { SearchField } from "./SearchField";
import { useSelection, useSelectionOf } from "./selection";
import { ViewsMenu } from "./ViewsMenu";
import styles from "./ListPane.module.css";

const BulkBar = lazy(() => part(() => import("./BulkBar")));
const NewConversation = lazy(() => part(() => import("../start/NewConversation")));
const SearchResults = lazy(() => part(() => import("../search/SearchResults")));

export function ListPane() {
  const t = useText("inbox");
  const { search, filter } = usePlace();
  const list = JSON.stringify(filter);
  useSelectionOf(list);
  const { selected } = useSelection();
  const [starting, setStarting] = useState(false);
  return (
    <>
      <header className={styles.header}>
        <div className={styles.title}>
          <h1>{t.title}</h1>
          <ViewsMenu />
          {!search.q && <FilterMenu />}
          <PhoneButton />
          <Tooltip label={t.newConversation}>
            <IconButton icon="plus" label={t.newConversation} size={32} onClick={() => setStarting(true)} />
          </Tooltip>
        </div>
        <SearchField />
      </header>
      {search.q ? (
        <>
          <SearchFilters />
          <Suspense fallback={<ListSkeleton />}>
            <SearchResults sought={{ q: search.q, in: search.in, number: search.number, since: search.since }} />
          </Suspense>
        </>
      ) : (
        <>
          {selected.size > 0 ? <Suspense fallback={<ListTabs />}><BulkBar /></Suspense> : <ListTabs />}
          <ConversationList key={list} /> {/* another one begins at its top */}
        </>
      )}
      {starting && (
        <Suspense>
          <NewConversation onClose={() => setStarting(false)} />
        </Suspense>
      )}
    </>
  );
}
