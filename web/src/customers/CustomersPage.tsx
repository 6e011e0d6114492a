import { Button, NativeSelect } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { useMe } from "../api/queries";
import shared from "../numbers/Numbers.module.css";
import { AdminsOnly } from "../settings/AdminsOnly";
import { Row, Rows, Tag } from "../settings/Rows";
import { Section } from "../settings/Section";
import { EmptyState } from "../ui/EmptyState";
import { ErrorState } from "../ui/ErrorState";
import { More } from "../ui/More";
import { NoneFound } from "../ui/NoneFound";
import { RowsSkeleton } from "../ui/RowsSkeleton";
import { SearchField } from "../ui/SearchField";
import { Icon } from "../ui/icons";
import { Time } from "../ui/Time";
import { AddCustomer } from "./AddCustomer";
import { customersQuery, statuses, tagKind, type Customer, type CustomersSearch, type CustomerStatus } from "./data";
import { useCustomers } from "./text";

const route = getRouteApi("/signed-in/customers");

export default function CustomersPage() {
  const t = useCustomers();
  const { plan } = useMe();
  return (
    <div className={shared.scroll}>
      <AdminsOnly>
        {plan.customers ? (
          <Page />
        ) : (
          <EmptyState icon="building" title={t.notInPlan}>
            {t.notInPlanHint}
          </EmptyState>
        )}
      </AdminsOnly>
    </div>
  );
}

function Page() {
  const t = useCustomers();
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const query = useInfiniteQuery(customersQuery(filter));
  const [adding, setAdding] = useState(false);
  const rows = query.data?.pages.flatMap((page) => page.data);
  const filtered = Boolean(filter.search ?? filter.status);
  const add = (
    <Button leftSection={<Icon name="plus" size={18} />} inert={adding} onClick={() => setAdding(true)}>
      {t.add}
    </Button>
  );
  return (
    <Section title={t.title} hint={t.hint} action={(filtered || Boolean(rows?.length)) && add}>
      {(filtered || rows?.length !== 0) && <Filters filter={filter} />}
      {query.isError && !rows && <ErrorState error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <RowsSkeleton rows={4} />}
      {rows && rows.length > 0 && <List customers={rows} />}
      {rows?.length === 0 && filtered && <NoneFound icon="building" title={t.noneFound} clear={() => void navigate({ search: {}, replace: true })}>{t.noneFoundHint}</NoneFound>}
      {rows?.length === 0 && !filtered && <EmptyState icon="building" title={t.none} action={add}>{t.noneHint}</EmptyState>}
      <More className={shared.more} query={query} text={t.more} />
      {adding && <AddCustomer close={() => setAdding(false)} />}
    </Section>
  );
}

function Filters({ filter }: { filter: CustomersSearch }) {
  const t = useCustomers();
  const navigate = route.useNavigate();
  const change = (next: CustomersSearch) => void navigate({ search: (old) => ({ ...old, ...next }), replace: true });
  return (
    <div className={shared.filters}>
      <SearchField label={t.search} value={filter.search} set={(search) => change({ search })} />
      <NativeSelect
        aria-label={t.status}
        value={filter.status ?? ""}
        data={[{ value: "", label: t.anyStatus }, ...statuses.map((value) => ({ value, label: t.statuses[value] ?? value }))]}
        onChange={(event) => change({ status: (event.target.value || undefined) as CustomerStatus | undefined })}
      />
    </div>
  );
}

function List({ customers }: { customers: Customer[] }) {
  const t = useCustomers();
  return (
    <div className={shared.list}>
      <Rows label={t.list}>
        {customers.map((c) => (
          <Row
            key={c.id}
            name={
              <>
                <Link to="/customers/$id" params={{ id: c.id }} className={shared.name}>
                  {c.name}
                </Link>
                {c.status !== "active" && <Tag kind={tagKind(c.status)}>{t.statuses[c.status]}</Tag>}
              </>
            }
            detail={c.email}
            aside={
              <>
                {t.since} <Time value={c.created_at} />
              </>
            }
          />
        ))}
      </Rows>
    </div>
  );
}
