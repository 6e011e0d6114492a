import { useQuery } from "@tanstack/react-query";
import { useText } from "../../i18n";
import { EmptyState } from "../../ui/EmptyState";
import { ErrorState } from "../../ui/ErrorState";
import { NoneFound } from "../../ui/NoneFound";
import { usePlace } from "../place";
import { ListSkeleton } from "../list/ListSkeleton";
import { searchQuery, type Section, type Sought } from "./queries";
import { SearchSection } from "./SearchSection";
import styles from "./SearchResults.module.css";

const sections: readonly Section[] = ["contacts", "messages", "notes"];

/** What was found among people, messages and notes, over the whole retention. */
export default function SearchResults({ sought }: { sought: Sought }) {
  const t = useText("inbox");
  const query = useQuery(searchQuery(sought));
  if (query.isPending) return <ListSkeleton />;
  if (query.isLoadingError) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  const found = query.data;
  const none = sections.every((section) => found[section].items.length === 0);
  return (
    <div className={styles.results} role="region" aria-label={t.searchResults}>
      {found.indexing && <p className={styles.hint}>{t.searchIndexing}</p>}
      {none && <Nothing />}
      {sections.map((section) => (
        <SearchSection key={`${section} ${JSON.stringify(sought)}`} section={section} sought={sought} found={found} />
      ))}
    </div>
  );
}

/** Nothing has these words: where the search is narrowed, it may be because of that. */
function Nothing() {
  const t = useText("inbox");
  const { search, show } = usePlace();
  const everywhere = () => show({ search: { q: search.q } });
  if (search.in || search.number || search.since) return <NoneFound icon="search" title={t.searchNothing} clear={everywhere} />;
  return <EmptyState icon="search" title={t.searchNothing}>{t.searchNothingHint}</EmptyState>;
}
