import { Button } from "@mantine/core";
import { queryClient } from "../../api/queries";
import styles from "../parts/console.module.css";
import { useFilters } from "../parts/filters";
import { Since } from "../parts/Since";
import { Split } from "../parts/Split";
import { useDev } from "../text";
import { PageTitle } from "../../ui/PageTitle";
import { EventDetail } from "./EventDetail";
import { EventTable } from "./EventTable";
import { EventTypeChoice } from "./EventTypeChoice";
import { NumberSelect } from "../../ui/NumberSelect";

export default function EventsPage() {
  const t = useDev();
  const [filters, change] = useFilters();
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
        <NumberSelect native className={styles.filter} size="sm" label={t.number} any={t.any} value={filters.number} onChange={(number) => change({ number })} />
        <Since value={filters.since} change={(since) => change({ since })} />
      </div>
      <Split aside={filters.id ? <EventDetail id={filters.id} close={() => change({ id: undefined })} /> : undefined}>
        <EventTable filter={{ type: filters.type, number: filters.number, since: filters.since }} open={filters.id} />
      </Split>
    </div>
  );
}
