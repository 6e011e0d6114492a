import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Row, Rows, Tag } from "../../settings/Rows";
import { Panel, Section } from "../../settings/Section";
import { EmptyState } from "../../ui/EmptyState";
import { Icon } from "../../ui/icons";
import { Loaded } from "../../ui/Loaded";
import { useDev } from "../text";
import { Chart } from "./Chart";
import { endpointsQuery, shortURL, type Endpoint } from "./data";
import { EndpointForm } from "./EndpointForm";
import { ListenLine } from "./ListenLine";
import styles from "./WebhooksPage.module.css";
import { SecretOnce } from "./SecretOnce";

export function StateTag({ endpoint }: { endpoint: Endpoint }) {
  const t = useDev();
  if (endpoint.status === "disabled") return <Tag kind="red">{t.disabled}</Tag>;
  if (endpoint.status === "paused") return <Tag kind="amber">{t.paused}</Tag>;
  if (endpoint.consecutive_failures > 0) return <Tag kind="red">{t.failingEndpoint(endpoint.consecutive_failures)}</Tag>;
  return null;
}

function EndpointRow({ endpoint }: { endpoint: Endpoint }) {
  const t = useDev();
  return (
    <Row
      name={
        <>
          <Link to="/dev/webhooks/$endpoint" params={{ endpoint: endpoint.id }} className={styles.link}>
            {shortURL(endpoint.url)}
          </Link>
          <StateTag endpoint={endpoint} />
        </>
      }
      detail={endpoint.description ?? (endpoint.events.includes("*") ? t.allEvents : endpoint.events.join(", "))}
      aside={
        <div className={styles.chart}>
          <Chart id={endpoint.id} range="day" />
        </div>
      }
    />
  );
}

export default function WebhooksPage() {
  const t = useDev();
  const endpoints = useQuery(endpointsQuery);
  const [dialog, setDialog] = useState<"add" | { secret: string }>();
  const add = (
    <Button inert={dialog !== undefined} leftSection={<Icon name="plus" size={18} />} onClick={() => setDialog("add")}>
      {t.endpointAdd}
    </Button>
  );
  return (
    <Section title={t.webhooks} hint={t.webhooksHint} action={Boolean(endpoints.data?.length) && add}>
      <Loaded query={endpoints}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon="link" title={t.endpointsNone} action={add}>
              {t.endpointsNoneHint}
            </EmptyState>
          ) : (
            <Rows label={t.webhooks}>
              {list.map((endpoint) => (
                <EndpointRow key={endpoint.id} endpoint={endpoint} />
              ))}
            </Rows>
          )
        }
      </Loaded>
      <p className={styles.all}>
        <Link to="/dev/deliveries">{t.allDeliveries}</Link>
      </p>
      <Panel title={t.tryHere} hint={t.tryHereHint}>
        <ListenLine />
      </Panel>
      {dialog === "add" && (
        <EndpointForm close={() => setDialog(undefined)} done={(made) => setDialog({ secret: made.initial_secret ?? "" })} />
      )}
      {typeof dialog === "object" && <SecretOnce secret={dialog.secret} close={() => setDialog(undefined)} />}
    </Section>
  );
}
