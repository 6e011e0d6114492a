import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useIsAdmin } from "../api/queries";
import { Row, Rows } from "../settings/Rows";
import { Section } from "../settings/Section";
import { EmptyState } from "../ui/EmptyState";
import { Parts } from "../ui/Parts";
import { Icon } from "../ui/icons";
import { Loaded } from "../ui/Loaded";
import { toast } from "../ui/toasts";
import { ConnectDialog } from "./ConnectDialog";
import { numbersQuery, statusTone, type BusinessNumber } from "./data";
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
  const numbers = useQuery(numbersQuery);
  const [connecting, setConnecting] = useState(false);
  useOutcome();
  const connect = (
    <Button leftSection={<Icon name="plus" size={18} />} inert={connecting} onClick={() => setConnecting(true)}>
      {t.connect}
    </Button>
  );
  return (
    <div className={styles.scroll}>
      <Section title={t.title} hint={t.hint} action={admin && Boolean(numbers.data?.length) && connect}>
        <Loaded query={numbers}>
          {(list) =>
            list.length > 0 ? (
              <List numbers={list} />
            ) : (
              <EmptyState icon="sim" title={t.none} action={admin && connect}>
                {admin ? t.noneHint : t.noneForAgents}
              </EmptyState>
            )
          }
        </Loaded>
        {connecting && <ConnectDialog close={() => setConnecting(false)} />}
      </Section>
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
