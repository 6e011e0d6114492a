import styles from "../parts/console.module.css";
import { useFilters } from "../parts/filters";
import { Split } from "../parts/Split";
import { useDev } from "../text";
import { PageTitle } from "../../ui/PageTitle";
import { DeliveryDetail } from "./DeliveryDetail";
import { DeliveryFilters } from "./DeliveryFilters";
import { DeliveryTable } from "./DeliveryTable";

export default function DeliveriesPage() {
  const t = useDev();
  const [filters, change] = useFilters();
  const { status, event_type, subscription_id, since } = filters;
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <div className={styles.title}>
          <PageTitle>{t.deliveries}</PageTitle>
        </div>
        <div className={styles.sub}>{t.deliveriesHint}</div>
      </header>
      <DeliveryFilters filters={filters} change={change} />
      <Split aside={filters.id ? <DeliveryDetail id={filters.id} change={change} /> : undefined}>
        <DeliveryTable filter={{ status, event_type, subscription_id, since }} open={filters.id} />
      </Split>
    </div>
  );
}
