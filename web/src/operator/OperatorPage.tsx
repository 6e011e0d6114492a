import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useMe } from "../api/queries";
import { useLanguage } from "../i18n";
import { operator as english } from "../i18n/en/operator";
import { operator as indonesian } from "../i18n/id/operator";
import { Row, Rows, Tag } from "../settings/Rows";
import { Panel, Section } from "../settings/Section";
import { EmptyState } from "../ui/EmptyState";
import { Loaded } from "../ui/Loaded";
import { Time } from "../ui/Time";
import { organizationsQuery, size, systemQuery, type OperatorOrganization, type OperatorPlan, type OperatorSystem } from "./data";
import styles from "./OperatorPage.module.css";

function useOperator(): typeof english {
  return useLanguage() === "id" ? indonesian : english;
}

/** Where the server stops counting. */
const mostCounted = 10_000;

/** The service as its operator sees it. The server refuses everybody else. */
export default function OperatorPage() {
  const t = useOperator();
  const { user } = useMe();
  if (!user.operator) {
    return (
      <EmptyState icon="lock" title={t.notOperator}>
        {t.notOperatorHint}
      </EmptyState>
    );
  }
  return <Page />;
}

function Page() {
  const t = useOperator();
  const system = useQuery(systemQuery);
  const organizations = useQuery(organizationsQuery);
  return (
    <div className={styles.scroll}>
      <Section title={t.title} hint={t.hint}>
        <Loaded query={system}>{(s) => <System system={s} />}</Loaded>
        <Loaded query={organizations}>
          {(data) => (
            <>
              <Organizations organizations={data.organizations} />
              <Plans plans={data.plans} />
            </>
          )}
        </Loaded>
      </Section>
    </div>
  );
}

function Figures({ of }: { of: [string, string][] }) {
  return (
    <dl className={styles.figures}>
      {of.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function System({ system: s }: { system: OperatorSystem }) {
  const t = useOperator();
  const language = useLanguage();
  const number = new Intl.NumberFormat(language);
  const count = (n: number) => (n >= mostCounted ? "≥ " : "") + number.format(n);
  const { queues: q, storage } = s;
  const sizes: [string, string][] = [[t.database, size(storage.database_bytes, language)]];
  if (storage.engine === "sqlite") sizes.push([t.journal, size(storage.journal_bytes, language)], [t.search, size(storage.search_bytes, language)]);
  sizes.push([t.media(number.format(storage.files)), size(storage.media_bytes, language)]);
  return (
    <>
      <Panel title={t.queues}>
        <Figures
          of={[
            [t.messages, count(q.messages)], [t.deliveries, count(q.deliveries)], [t.lanes, count(q.lanes)],
            [t.callbacks, count(q.callbacks)], [t.files, count(q.files)],
          ]}
        />
      </Panel>
      <Panel title={t.nodes} hint={t.nodesHint}>
        <Rows label={t.nodes}>
          {s.nodes.map((node) => (
            <Row
              key={node.id}
              name={
                <>
                  <span className="mono">{node.id}</span>
                  {node.id === s.node && <Tag>{t.thisNode}</Tag>}
                  {node.late && <Tag kind="amber">{t.late}</Tag>}
                </>
              }
              detail={
                node.until ? (
                  <>
                    {t.until} <Time value={node.until} />
                  </>
                ) : (
                  t.alone
                )
              }
              aside={node.id === s.node && t.version(s.version)}
            />
          ))}
        </Rows>
      </Panel>
      <Panel title={t.storage} hint={t.engines[storage.engine] ?? storage.engine}>
        <Figures of={sizes} />
      </Panel>
    </>
  );
}

function Table({ label, heads, children }: { label: string; heads: { name: string; number?: boolean }[]; children: ReactNode }) {
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls sideways, also by keys
    <div className={styles.table} role="region" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {heads.map(({ name, number }) => (
              <th key={name} scope="col" data-number={number || undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

function Organizations({ organizations }: { organizations: OperatorOrganization[] }) {
  const t = useOperator();
  const number = new Intl.NumberFormat(useLanguage());
  return (
    <Panel title={t.organizations}>
      <Table
        label={t.organizations}
        heads={[{ name: t.organization }, { name: t.plan }, ...[t.numbers, t.users, t.sent, t.received].map((name) => ({ name, number: true }))]}
      >
        {organizations.map((o) => (
          <tr key={o.id}>
            <th scope="row" title={o.id}>
              {o.name} {o.suspended && <Tag kind="red">{t.suspended}</Tag>}
            </th>
            <td>{o.plan}</td>
            <td data-number>{number.format(o.numbers)}</td>
            <td data-number>{number.format(o.users)}</td>
            <td data-number>{number.format(o.sent)}</td>
            <td data-number>{number.format(o.received)}</td>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}

function Plans({ plans }: { plans: OperatorPlan[] }) {
  const t = useOperator();
  const number = new Intl.NumberFormat(useLanguage());
  return (
    <Panel title={t.plans}>
      <Table
        label={t.plans}
        heads={[
          { name: t.plan }, { name: t.api }, { name: t.customers }, { name: t.monthly, number: true }, { name: t.retention, number: true }, { name: t.rates, number: true },
        ]}
      >
        {plans.map((p) => (
          <tr key={p.name}>
            <th scope="row">{p.name}</th>
            <td>{p.api ? t.yes : t.no}</td>
            <td>{p.customers ? t.yes : t.no}</td>
            <td data-number>{p.monthly_messages === null ? t.noLimit : number.format(p.monthly_messages)}</td>
            <td data-number>{p.retention_days === null ? t.forever : t.days(p.retention_days)}</td>
            <td data-number>{number.format(p.write_per_minute)} / {number.format(p.read_per_minute)}</td>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}
