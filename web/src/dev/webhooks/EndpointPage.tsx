import { SegmentedControl } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { CopyId } from "../../inbox/context/CopyId";
import { Tag } from "../../settings/Rows";
import { LinkButton } from "../../ui/LinkButton";
import { Loaded } from "../../ui/Loaded";
import { Missing } from "../../ui/Missing";
import { DeliveryDetail } from "../deliveries/DeliveryDetail";
import { DeliveryFilters } from "../deliveries/DeliveryFilters";
import { DeliveryTable } from "../deliveries/DeliveryTable";
import styles from "../parts/console.module.css";
import { useFilters } from "../parts/filters";
import { duration } from "../parts/format";
import { Split } from "../parts/Split";
import { useDev } from "../text";
import { PageTitle } from "../../ui/PageTitle";
import { Chart } from "./Chart";
import { endpointQuery, healthQuery, shortURL, type Endpoint, type HealthRange } from "./data";
import { EndpointActions, type EndpointDialog } from "./EndpointActions";
import { EndpointDialogs } from "./EndpointDialogs";
import { StateTag } from "./WebhooksPage";

function Facts({ endpoint }: { endpoint: Endpoint }) {
  const t = useDev();
  const recent = useQuery(healthQuery(endpoint.id, "day")).data?.recent;
  return (
    <div className={styles.sub}>
      <CopyId value={endpoint.id} />
      <span>{endpoint.events.includes("*") ? t.allEvents : endpoint.events.join(", ")}</span>
      {recent?.median_ms != null && <span>{t.median(duration(recent.median_ms))}</span>}
      {recent !== undefined && recent.failed > 0 && <Tag kind="amber">{t.recentFailed(recent.failed, recent.deliveries)}</Tag>}
      {endpoint.disabled_reason && <span>{t.disabledBecause(endpoint.disabled_reason)}</span>}
    </div>
  );
}

/** While a dialog is open, its button is the only one of its name. */
function Header({ endpoint, open, busy }: { endpoint: Endpoint; open: (dialog: EndpointDialog) => void; busy: boolean }) {
  const t = useDev();
  const [filters, change] = useFilters();
  const range = (filters.range as HealthRange | undefined) ?? "day";
  const ranges = (["day", "week", "month"] as const).map((value) => ({ value, label: t.rangeNames[value] }));
  return (
    <header className={styles.head} inert={busy}>
      <div className={styles.title}>
        <PageTitle>{shortURL(endpoint.url)}</PageTitle>
        <StateTag endpoint={endpoint} />
        <span className={styles.space} />
        <div className={styles.actions}>
          <EndpointActions endpoint={endpoint} open={open} />
        </div>
      </div>
      <Facts endpoint={endpoint} />
      <div className={styles.health}>
        <Chart id={endpoint.id} range={range} />
        <SegmentedControl size="xs" aria-label={t.health} data={ranges} value={range} onChange={(next) => change({ range: next === "day" ? undefined : next })} />
      </div>
    </header>
  );
}

/** An endpoint: how it does, and its deliveries. */
export default function EndpointPage() {
  const t = useDev();
  const { endpoint: id = "" } = useParams({ strict: false });
  const query = useQuery(endpointQuery(id));
  const navigate = useNavigate();
  const [filters, change] = useFilters();
  const [dialog, setDialog] = useState<EndpointDialog>();
  const { status, event_type, since } = filters;
  return (
    <Loaded query={query} missing={<Missing page icon="link" title={t.endpointMissing} back={<LinkButton variant="default" to="/dev/webhooks">{t.endpointsAll}</LinkButton>} />}>
      {(endpoint) => (
        <div className={styles.page}>
          <Header endpoint={endpoint} open={setDialog} busy={dialog !== undefined} />
          <DeliveryFilters filters={filters} change={change} ofOne />
          <Split aside={filters.id ? <DeliveryDetail id={filters.id} change={change} /> : undefined}>
            <DeliveryTable filter={{ status, event_type, subscription_id: id, since }} open={filters.id} />
          </Split>
          <EndpointDialogs
            dialog={dialog}
            endpoint={endpoint}
            close={() => setDialog(undefined)}
            show={(delivery) => change({ id: delivery })}
            gone={() => void navigate({ to: "/dev/webhooks" })}
          />
        </div>
      )}
    </Loaded>
  );
}
