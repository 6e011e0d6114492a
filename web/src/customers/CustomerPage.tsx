import { Button, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { isMissing, send } from "../api/client";
import { queryClient } from "../api/queries";
import { statusTone } from "../numbers/data";
import { Mark } from "../numbers/Marks";
import shared from "../numbers/Numbers.module.css";
import { useNumbers } from "../numbers/text";
import { AdminsOnly } from "../settings/AdminsOnly";
import { Row, Rows, Tag } from "../settings/Rows";
import { Panel, Section } from "../settings/Section";
import { FormError } from "../ui/FormError";
import { LinkButton } from "../ui/LinkButton";
import { Loaded } from "../ui/Loaded";
import { Missing } from "../ui/Missing";
import { Time } from "../ui/Time";
import { toast } from "../ui/toasts";
import { useSubmit } from "../ui/useSubmit";
import { customerQuery, tagKind, type Customer } from "./data";
import { LifePanel } from "./LifePanel";
import { LinksPanel } from "./LinksPanel";
import { useCustomers } from "./text";
import { numberName, phoneOf } from "../ui/phone";

export default function CustomerPage() {
  const t = useCustomers();
  const { id } = useParams({ from: "/signed-in/customers/$id" });
  const query = useQuery(customerQuery(id));
  return (
    <div className={shared.scroll}>
      <AdminsOnly>
        {!isMissing(query.error) && (
          <nav className={shared.back}>
            <Link to="/customers">{t.back}</Link>
          </nav>
        )}
        <Loaded query={query} missing={<Missing page icon="building" title={t.missing} back={<LinkButton variant="default" to="/customers">{t.back}</LinkButton>} />}>
          {(customer) => <Detail key={customer.id} customer={customer} />}
        </Loaded>
      </AdminsOnly>
    </div>
  );
}

function Detail({ customer: c }: { customer: Customer }) {
  const t = useCustomers();
  return (
    <Section title={c.name} hint={c.email ?? undefined} action={<Tag kind={tagKind(c.status)}>{t.statuses[c.status]}</Tag>}>
      <Numbers customer={c} />
      <LinksPanel customer={c} />
      <Panel title={t.details}>
        <Form customer={c} />
      </Panel>
      <LifePanel customer={c} />
    </Section>
  );
}

function Numbers({ customer: c }: { customer: Customer }) {
  const t = useCustomers();
  const { statuses } = useNumbers();
  const numbers = c.whatsapp_accounts ?? [];
  return (
    <Panel title={t.numbers}>
      {numbers.length === 0 ? (
        <p className={shared.note}>{t.noNumbers}</p>
      ) : (
        <div className={shared.list}>
          <Rows label={t.numbers}>
            {numbers.map((n) => (
              <Row
                key={n.phone_number_id}
                mark={<Mark tone={statusTone(n.status)} />}
                name={
                  <Link to="/numbers/$number" params={{ number: n.phone_number_id ?? "" }} className={shared.name}>
                    {numberName(n)}
                  </Link>
                }
                detail={n.name && n.phone_number ? `${phoneOf(n.phone_number)} · ${statuses[n.status] ?? n.status}` : statuses[n.status]}
                aside={<Time value={n.onboarded_at} />}
              />
            ))}
          </Rows>
        </div>
      )}
    </Panel>
  );
}

function Form({ customer: c }: { customer: Customer }) {
  const t = useCustomers();
  const [name, setName] = useState(c.name);
  const [email, setEmail] = useState(c.email ?? "");
  const submit = useSubmit(
    ["name", "email"],
    () => send<Customer>("PATCH", `/customers/${c.id}`, { name, email: email.trim() || null }),
    () => {
      void queryClient.invalidateQueries({ queryKey: ["customers"] });
      toast(t.saved);
    },
  );
  return (
    <form {...submit.form}>
      <FormError error={submit.error} />
      <TextInput required label={t.name} maxLength={200} {...submit.field("name", name, setName)} />
      <TextInput label={t.email} type="email" maxLength={255} {...submit.field("email", email, setEmail)} />
      <Button type="submit" loading={submit.busy} disabled={name === c.name && email === (c.email ?? "")}>
        {t.save}
      </Button>
    </form>
  );
}
