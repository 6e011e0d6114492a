import { Button } from "@mantine/core";
import { useDev } from "../text";
import styles from "./console.module.css";

/** The way on in a list. A filter that wants few rows may have found none yet among those it has looked at. */
export function More({ query, found }: { query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }; found: number }) {
  const t = useDev();
  if (!query.hasNextPage) return null;
  return (
    <div className={styles.more}>
      {found === 0 && <span>{t.noneYet}</span>}
      <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        {found === 0 ? t.lookFurther : t.older}
      </Button>
    </div>
  );
}
