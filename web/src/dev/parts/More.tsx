import { More as MoreButton, type Paged } from "../../ui/More";
import { useDev } from "../text";
import styles from "./console.module.css";

/** The next page of a list. A filter may have found no rows yet among those that were read. */
export function More({ query, found }: { query: Paged; found: number }) {
  const t = useDev();
  if (!query.hasNextPage) return null;
  return (
    <div className={styles.more}>
      {found === 0 && <span>{t.noneYet}</span>}
      <MoreButton query={query} text={found === 0 ? t.lookFurther : t.older} />
    </div>
  );
}
