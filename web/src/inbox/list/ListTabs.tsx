import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { countsQuery } from "../../api/queries";
import type { InboxView } from "../../api/types";
import { useText } from "../../i18n";
import { useCurrentInView } from "../../ui/useCurrentInView";
import { countText } from "../../shell/useUnread";
import { inboxPath, usePlace } from "../place";
import styles from "./ListTabs.module.css";

const always: readonly InboxView[] = ["mine", "unassigned", "all"];

/** The views as links, each with the number of open conversations in it. */
export function ListTabs() {
  const t = useText("inbox");
  const { view, conversation, search } = usePlace();
  const counts = useQuery(countsQuery(search.number)).data;
  const row = useCurrentInView<HTMLElement>(counts);
  const shown = always.includes(view) ? always : [...always, view];
  return (
    <nav ref={row} className={styles.tabs} aria-label={t.views}>
      {shown.map((name) => (
        <Link
          key={name}
          to={inboxPath}
          params={{ view: name, conversation }}
          search={{ ...search, item: undefined }}
          className={styles.tab}
          aria-current={name === view ? "page" : undefined}
          activeProps={{}}
        >
          {t.view[name]}
          {counts && <b>{countText(counts[name].open)}</b>}
        </Link>
      ))}
    </nav>
  );
}
