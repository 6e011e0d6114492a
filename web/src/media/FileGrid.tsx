import { useInfiniteQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { sizeText } from "../inbox/thread/content/source";
import { EmptyState } from "../ui/EmptyState";
import { ErrorState } from "../ui/ErrorState";
import { More } from "../ui/More";
import { RowsSkeleton } from "../ui/RowsSkeleton";
import { libraryQuery, type LibraryFile, type MediaKind } from "./data";
import { Thumbnail } from "./FileView";
import styles from "./Media.module.css";
import { useMediaText } from "./text";

interface Props {
  number: string;
  kind?: MediaKind;
  q?: string;
  chosen?: string;
  choose: (file: LibraryFile) => void;
  /** Only files that this allows can be chosen. */
  fits?: (file: LibraryFile) => boolean;
  /** What is shown instead of the plain words where there is no file. */
  none?: ReactNode;
}

/** The library's files, the newest first. */
export function FileGrid({ number, kind, q, chosen, choose, fits, none }: Props) {
  const t = useMediaText();
  const query = useInfiniteQuery(libraryQuery(number, { kind, q }));
  const files = query.data?.pages.flatMap((page) => page.data).filter((file) => fits?.(file) ?? true) ?? [];
  if (query.isError && files.length === 0) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  if (query.isPending) return <RowsSkeleton rows={2} height={160} />;
  if (query.isSuccess && files.length === 0) {
    if (none) return none;
    const filtered = Boolean(kind || q);
    return <EmptyState icon="image" title={filtered ? t.noneFound : t.none}>{filtered ? t.noneFoundHint : t.noneHint}</EmptyState>;
  }
  return (
    <>
      <ul className={styles.grid} aria-label={t.files}>
        {files.map((file) => (
          <li key={file.id} className={styles.tile}>
            <Thumbnail file={file} />
            <span className={styles.caption}>
              <button type="button" aria-pressed={file.id === chosen} onClick={() => choose(file)}>{file.filename ?? t.noName}</button>
              <small>{sizeText(file.size)}</small>
            </span>
          </li>
        ))}
      </ul>
      <More className={styles.more} query={query} text={t.more} />
    </>
  );
}
