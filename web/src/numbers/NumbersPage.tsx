import { Button } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useIsAdmin, useMe } from "../api/queries";
import type { BusinessNumber } from "../api/types";
import { Row, Rows } from "../settings/Rows";
import { Section } from "../settings/Section";
import { Chips } from "../ui/Chips";
import { EmptyState } from "../ui/EmptyState";
import { ErrorState } from "../ui/ErrorState";
import { More } from "../ui/More";
import { NoneFound } from "../ui/NoneFound";
import { Parts } from "../ui/Parts";
import { Icon } from "../ui/icons";
import { RowsSkeleton } from "../ui/RowsSkeleton";
import { SearchField } from "../ui/SearchField";
import { toast } from "../ui/toasts";
import { ConnectDialog } from "./ConnectDialog";
import { numbersQuery, statusTone, type NumbersFilter } from "./data";
import { Mark, Marks } from "./Marks";
import styles from "./Numbers.module.css";
import { useNumbers } from "./text";
import { numberName, phoneOf } from "../ui/phone";

const route = getRouteApi("/signed-in/numbers");

/** Says how connecting a number ended, where the hosted page has sent the browser back. */
function useOutcome() {
  const t = useNumbers();
  const { status, reason } = route.useSearch();
  const navigate = route.useNavigate();
  useEffect(() => {
    if (!status) return;
    if (status === "success") toast(t.connected);
    else toast(t.notConnected(reason ?? status), { kind: "error" });
    void navigate({ search: {}, replace: true });
  }, [status, reason, navigate, t]);
}

export default function NumbersPage() {
  const t = useNumbers();
  const admin = useIsAdmin();
  const { q, troubled } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useInfiniteQuery(numbersQuery({ q, troubled }));
  const rows = query.data?.pages.flatMap((page) => page.data);
  const filtered = Boolean(q ?? troubled);
  const [connecting, setConnecting] = useState(false);
  useOutcome();
  const connect = (
    <Button leftSection={<Icon name="plus" size={18} />} inert={connecting} onClick={() => setConnecting(true)}>
      {t.connect}
    </Button>
  );
  return (
    <div className={styles.scroll}>
      <Section title={t.title} hint={t.hint} action={admin && (filtered || Boolean(rows?.length)) && connect}>
        <Filters filter={{ q, troubled }} />
        {query.isError && !rows && <ErrorState error={query.error} retry={() => void query.refetch()} />}
        {query.isPending && <RowsSkeleton rows={4} />}
        {rows && rows.length > 0 && <List numbers={rows} />}
        {rows?.length === 0 && filtered && <NoneFound icon="sim" title={t.noneFound} clear={() => void navigate({ search: {}, replace: true })}>{t.noneFoundHint}</NoneFound>}
        {rows?.length === 0 && !filtered && <EmptyState icon="sim" title={t.none} action={admin && connect}>{admin ? t.noneHint : t.noneForAgents}</EmptyState>}
        <More className={styles.more} query={query} text={t.more} />
        {connecting && <ConnectDialog close={() => setConnecting(false)} />}
      </Section>
    </div>
  );
}

/** Fewer numbers are looked through more quickly than searched. */
const many = 10;

function Filters({ filter }: { filter: NumbersFilter }) {
  const t = useNumbers();
  const { numbers } = useMe();
  const navigate = route.useNavigate();
  const change = (next: NumbersFilter) => void navigate({ search: (old) => ({ ...old, ...next }), replace: true });
  if (numbers.length <= many && !filter.q && !filter.troubled) return null;
  return (
    <div className={styles.filters}>
      <SearchField label={t.search} value={filter.q} set={(q) => change({ q })} />
      <Chips label={t.which} value={filter.troubled ? "troubled" : "all"} names={t.whiches} choose={(which) => change({ troubled: which === "troubled" || undefined })} />
    </div>
  );
}

function List({ numbers }: { numbers: BusinessNumber[] }) {
  const t = useNumbers();
  return (
    <div className={styles.list}>
      <Rows label={t.list}>
        {numbers.map((n) => (
          <Row
            key={n.phone_number_id}
            mark={<Mark tone={statusTone(n.status)} />}
            name={
              <Link to="/numbers/$number" params={{ number: n.phone_number_id ?? "" }} className={styles.name}>
                {numberName(n)}
              </Link>
            }
            detail={
              <Parts>
                {n.name && phoneOf(n.phone_number)}
                {n.customer ? t.ofCustomer(n.customer.name) : t.own}
              </Parts>
            }
            actions={<Marks number={n} />}
          />
        ))}
      </Rows>
    </div>
  );
}
