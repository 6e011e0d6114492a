import { NativeSelect } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useMe } from "../../api/queries";
import { useText } from "../../i18n";
import type { InboxSearch, Since } from "../address";
import tabs from "../list/ListTabs.module.css";
import { inboxPath, usePlace } from "../place";
import styles from "./SearchFilters.module.css";
import { NumberSelect } from "../../ui/NumberSelect";

const sections: readonly InboxSearch["in"][] = [undefined, "contacts", "messages", "notes"];

/** Narrows a search. All of it is in the address. */
export function SearchFilters() {
  const t = useText("inbox");
  const { view, conversation, search, show } = usePlace();
  const { numbers } = useMe();
  const times = Object.entries(t.searchTimes).map(([value, label]) => ({ value, label }));
  return (
    <>
      <nav className={`${tabs.tabs} ${styles.sections}`} aria-label={t.searchIn}>
        {sections.map((section) => (
          <Link
            key={section ?? ""}
            to={inboxPath}
            params={{ view, conversation }}
            search={{ ...search, in: section }}
            className={tabs.tab}
            aria-current={search.in === section ? "true" : undefined}
            activeProps={{}}
          >
            {section ? t.searchSections[section] : t.searchEverywhere}
          </Link>
        ))}
      </nav>
      <div className={styles.filters}>
        <NativeSelect
          size="xs"
          aria-label={t.searchSince}
          data={times}
          value={search.since ?? "any"}
          onChange={({ target }) => show({ search: { ...search, since: target.value === "any" ? undefined : (target.value as Since) } })}
        />
        {numbers.length > 1 && (
          <NumberSelect
            native
            size="xs"
            aria-label={t.searchNumber}
            any={t.searchAnyNumber}
            value={search.number}
            onChange={(number) => show({ search: { ...search, number } })}
          />
        )}
      </div>
    </>
  );
}
