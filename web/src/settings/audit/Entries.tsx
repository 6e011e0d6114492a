import { UnstyledButton } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Clock } from "../../dev/parts/Clock";
import type { Filters } from "../../dev/parts/filters";
import { ErrorState } from "../../ui/ErrorState";
import { More } from "../../ui/More";
import { NoneFound } from "../../ui/NoneFound";
import { RowsSkeleton } from "../../ui/RowsSkeleton";
import { Row, Rows } from "../Rows";
import styles from "./AuditPage.module.css";
import { auditQuery, useAudit, type Entry } from "./data";
import { detailsOf } from "./details";

interface Narrowing {
  about: (object: string, name: string) => void;
  by: (id: string) => void;
}

function Who({ entry, by }: { entry: Entry; by: Narrowing["by"] }) {
  const t = useAudit();
  const kinds = { user: "", key: t.key, operator: t.shell, link: t.link };
  const name = [entry.by.name, kinds[entry.by.kind]].filter(Boolean).join(", ");
  const id = entry.by.kind === "operator" ? "operator" : entry.by.id;
  return (
    <span>
      {id ? (
        <UnstyledButton className={styles.word} onClick={() => by(id)}>
          {name}
        </UnstyledButton>
      ) : (
        name
      )}
      {entry.by.address && ` ${t.from(entry.by.address)}`}
    </span>
  );
}

function Details({ details }: { details: Entry["details"] }) {
  const t = useAudit();
  return detailsOf(details, t).map(({ name, value }) => (
    <span key={name}>
      {t.details[name] ?? name}: {value}
    </span>
  ));
}

function EntryRow({ entry, about, by }: { entry: Entry } & Narrowing) {
  const t = useAudit();
  const { id, name } = entry.object;
  return (
    <Row
      name={
        <>
          {t.actions[entry.action] ?? entry.action}
          {id && id !== entry.by.id && (
            <UnstyledButton className={styles.word} aria-label={t.about(name ?? id)} onClick={() => about(id, name ?? id)}>
              {name ?? <span className="mono">{id}</span>}
            </UnstyledButton>
          )}
        </>
      }
      detail={
        <span className={styles.detail}>
          <Who entry={entry} by={by} />
          <Details details={entry.details} />
          <span className={styles.small}>
            <Clock value={entry.at} />
          </span>
        </span>
      }
      aside={<Clock value={entry.at} />}
    />
  );
}

export function Entries({ filter, clear, ...narrow }: { filter: Filters; clear: () => void } & Narrowing) {
  const t = useAudit();
  const query = useInfiniteQuery(auditQuery(filter));
  if (query.isPending) return <RowsSkeleton />;
  if (query.isLoadingError) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  const entries = query.data?.pages.flatMap((page) => page.data) ?? [];
  if (query.isSuccess && entries.length === 0) {
    return (
      <NoneFound icon="lock" title={t.none} clear={clear}>
        {t.noneHint}
      </NoneFound>
    );
  }
  return (
    <>
      {entries.length > 0 && (
        <Rows label={t.list}>
          {entries.map((entry) => (
            <EntryRow key={entry.id} entry={entry} {...narrow} />
          ))}
        </Rows>
      )}
      {query.hasNextPage && (
        <div className={styles.more}>
          <More query={query} text={t.older} />
        </div>
      )}
    </>
  );
}
