import { Tooltip } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { part } from "../../api/part";
import { useText } from "../../i18n";
import { PhoneButton } from "../../phone/PhoneButton";
import { IconButton } from "../../ui/IconButton";
import { usePlace } from "../place";
import { SearchFilters } from "../search/SearchFilters";
import { SearchResults } from "../search/SearchResults";
import { BulkBar } from "./BulkBar";
import { ConversationList } from "./ConversationList";
import { FilterMenu } from "./FilterMenu";
import { ListTabs } from "./ListTabs";
import { SearchField } from "./SearchField";
import { useSelection, useSelectionOf } from "./selection";
import { ViewsMenu } from "./ViewsMenu";
import styles from "./ListPane.module.css";

const NewConversation = lazy(() => part(() => import("../start/NewConversation")));

export function ListPane() {
  const t = useText("inbox");
  const { search, filter } = usePlace();
  useSelectionOf(JSON.stringify(filter));
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
          <SearchResults sought={{ q: search.q, in: search.in, number: search.number, since: search.since }} />
        </>
      ) : (
        <>
          {selected.size > 0 ? <BulkBar /> : <ListTabs />}
          <ConversationList />
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
