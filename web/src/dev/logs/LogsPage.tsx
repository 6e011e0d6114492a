import { Button, SegmentedControl } from "@mantine/core";
import { queryClient } from "../../api/queries";
import styles from "../parts/console.module.css";
import { useFilters } from "../parts/filters";
import { Split } from "../parts/Split";
import { useDev } from "../text";
import { PageTitle } from "../../ui/PageTitle";
import { CallDetail } from "./CallDetail";
import { CallTable } from "./CallTable";
import { callFilter } from "./data";
import { FailureTable } from "./FailureTable";
import { LogFilters } from "./LogFilters";

export default function LogsPage() {
  const t = useDev();
  const [filters, change] = useFilters();
  const filter = callFilter(filters);
  const grouped = filters.view === "errors";
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <div className={styles.title}>
          <PageTitle>{t.log}</PageTitle>
          <SegmentedControl
            aria-label={t.calls}
            value={grouped ? "errors" : "calls"}
            data={[{ value: "calls", label: t.calls }, { value: "errors", label: t.failures }]}
            onChange={(view) => change({ view: view === "errors" ? view : undefined, id: undefined })}
          />
          <span className={styles.space} />
          <Button variant="default" onClick={() => void queryClient.invalidateQueries({ queryKey: ["calls"] })}>
            {t.refresh}
          </Button>
        </div>
        <div className={styles.sub}>{t.logHint}</div>
      </header>
      <LogFilters filters={filters} change={(next) => change({ ...next, route: undefined })} />
      <Split aside={filters.id && !grouped ? <CallDetail id={filters.id} close={() => change({ id: undefined })} /> : undefined}>
        {grouped ? <FailureTable filter={filter} /> : <CallTable filter={filter} open={filters.id} />}
      </Split>
    </div>
  );
}
