import { Button } from "@mantine/core";
import { queryClient, useMe } from "../../api/queries";
import { Choice } from "../parts/Choice";
import styles from "../parts/console.module.css";
import { useFilters } from "../parts/filters";
import { Since } from "../parts/Since";
import { Split } from "../parts/Split";
import { useDev } from "../text";
import { PageTitle } from "../../ui/PageTitle";
import { EventDetail } from "./EventDetail";
import { EventTable } from "./EventTable";
import { EventTypeChoice } from "./EventTypeChoice";
import { numberOptions } from "../../ui/phone";

export default function EventsPage() {
  const t = useDev();
  const me = useMe();
  const [filters, change] = useFilters();
  const numbers = numberOptions(me.numbers);
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <div className={styles.title}>
          <PageTitle>{t.events}</PageTitle>
          <span className={styles.space} />
          <Button variant="default" onClick={() => void queryClient.invalidateQueries({ queryKey: ["events"] })}>
            {t.refresh}
          </Button>
        </div>
        <div className={styles.sub}>{t.eventsHint}</div>
      </header>
      <div className={styles.bar} role="search" aria-label={t.filters}>
        <EventTypeChoice value={filters.type} change={(type) => change({ type })} />
        <Choice label={t.number} any={t.any} value={filters.number} options={numbers} change={(number) => change({ number })} />
        <Since value={filters.since} change={(since) => change({ since })} />
      </div>
      <Split aside={filters.id ? <EventDetail id={filters.id} close={() => change({ id: undefined })} /> : undefined}>
        <EventTable filter={{ type: filters.type, number: filters.number, since: filters.since }} open={filters.id} />
      </Split>
    </div>
  );
}
