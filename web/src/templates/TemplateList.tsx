import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useLanguage } from "../i18n";
import { plainText } from "../inbox/text/format";
import { ErrorState } from "../ui/ErrorState";
import { More } from "../ui/More";
import { NoneFound } from "../ui/NoneFound";
import { RowsSkeleton } from "../ui/RowsSkeleton";
import { Time } from "../ui/Time";
import type { TemplatesSearch } from "./address";
import { templateListQuery, type FullTemplate } from "./data";
import { languageName } from "../ui/languageName";
import { QualityText, StatusText } from "./parts";
import styles from "./Templates.module.css";
import { useTemplateText } from "./text";

interface Props {
  number: string;
  search: TemplatesSearch;
  clear: () => void;
  /** What is shown where there is no template at all. */
  none: ReactNode;
}

/** The templates that match, one row for each language. */
export function TemplateList({ number, search, clear, none }: Props) {
  const t = useTemplateText();
  const query = useInfiniteQuery(templateListQuery(number, search));
  const rows = query.data?.pages.flatMap((page) => page.data) ?? [];
  if (query.isError && rows.length === 0) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  if (query.isPending) return <div className={styles.pending}><RowsSkeleton /></div>;
  if (query.isSuccess && rows.length === 0) {
    const filtered = Boolean(search.q || search.state || search.language || search.category);
    return filtered ? <NoneFound icon="template" title={t.noneFound} clear={clear}>{t.noneFoundHint}</NoneFound> : none;
  }
  return (
    <>
      <div className={styles.names} aria-hidden="true">
        <span>{t.name}</span>
        <span>{t.language}</span>
        <span>{t.category}</span>
        <span>{t.state}</span>
        <span>{t.quality}</span>
        <span>{t.changed}</span>
      </div>
      <div className={styles.scroll}>
        <ul className={styles.list} aria-label={t.title}>
          {rows.map((template) => <Row key={template.id} number={number} template={template} />)}
        </ul>
        <More className={styles.more} query={query} text={t.more} />
      </div>
    </>
  );
}

function Row({ number, template: x }: { number: string; template: FullTemplate }) {
  const t = useTemplateText();
  const reader = useLanguage();
  return (
    <li className={styles.row}>
      <Link className={styles.what} to="/templates/$name" params={{ name: x.name }} search={{ number }}>
        <b>{x.name}</b>
        <span>{plainText(x.content)}</span>
      </Link>
      <span className={styles.quiet} title={x.language}>{languageName(x.language, reader)}</span>
      <span className={`${styles.quiet} ${styles.wide}`}>{x.category && (t.categories[x.category] ?? x.category)}</span>
      <StatusText status={x.provider_status} />
      <span className={styles.wide}><QualityText quality={x.quality} /></span>
      <span className={`${styles.quiet} ${styles.wide}`}><Time value={x.updated_at} /></span>
    </li>
  );
}
