import { useInfiniteQuery } from "@tanstack/react-query";
import { useMe } from "../../api/queries";
import { useText } from "../../i18n";
import { Tag } from "../../settings/Rows";
import { ErrorState } from "../../ui/ErrorState";
import { LinkButton } from "../../ui/LinkButton";
import { RowsSkeleton } from "../../ui/RowsSkeleton";
import { Clock } from "../parts/Clock";
import styles from "../parts/console.module.css";
import type { Filters } from "../parts/filters";
import { More } from "../parts/More";
import { Nothing } from "../parts/Nothing";
import { OpenLink } from "../parts/OpenLink";
import { useDev } from "../text";
import { eventsQuery } from "./data";
import { SubjectCell, useSubjects } from "./Subject";

/** Nothing has happened. Where there is a phone, it makes the first thing happen. */
function NoEvents() {
  const t = useDev();
  const inbox = useText("inbox");
  const phone = useMe().simulator && <LinkButton to="/phone">{inbox.writeFromPhone}</LinkButton>;
  return <Nothing icon="bell" title={t.eventsNone} hint={t.eventsNoneHint} first={phone} />;
}

export function EventTable({ filter, open }: { filter: Filters; open: string | undefined }) {
  const t = useDev();
  const query = useInfiniteQuery(eventsQuery(filter));
  const subjects = useSubjects(query.data?.pages.map((page) => page.data) ?? []);
  if (query.isPending) return <div className={styles.pending}><RowsSkeleton /></div>;
  if (query.isLoadingError) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  const events = query.data?.pages.flatMap((page) => page.data) ?? [];
  if (query.isSuccess && events.length === 0 && !query.hasNextPage) {
    return <NoEvents />;
  }
  return (
    <>
      <table className={styles.table} aria-label={t.events}>
        <thead>
          <tr>
            <th>{t.event}</th>
            <th className={styles.hide}>{t.about}</th>
            <th className={styles.right}>{t.when}</th>
          </tr>
        </thead>
        <tbody>
          {events.map((event) => (
            <tr key={event.id} data-open={event.id === open ? "" : undefined}>
              <td>
                <OpenLink id={event.id}>{event.type}</OpenLink> {event.sample && <Tag>{t.sample}</Tag>}
              </td>
              <SubjectCell subject={subjects.get(event.id)} />
              <td className={styles.right}>
                <Clock value={event.created_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <More query={query} found={events.length} />
    </>
  );
}
