import { Button, Switch, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { send } from "../api/client";
import { numberQuery } from "../api/numbers";
import { queryClient, useMe } from "../api/queries";
import type { BusinessNumber } from "../api/types";
import { ByName } from "../dev/parts/ByName";
import { useLanguage } from "../i18n";
import { Panel } from "../settings/Section";
import { FormDialog } from "../ui/Dialog";
import { Loaded } from "../ui/Loaded";
import { toast, toastError } from "../ui/toasts";
import { useSubmit } from "../ui/useSubmit";
import { ConnectDialog } from "./ConnectDialog";
import { holdingsQuery, mostCounted, type Holdings } from "./data";
import styles from "./Numbers.module.css";
import { useNumbers } from "./text";
import { numberName } from "../ui/phone";

type Open = "register" | "reconnect" | "disconnect";

/** What admins change of a number. */
export function ManagePanel({ id, number: n }: { id: string; number: BusinessNumber }) {
  const t = useNumbers();
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  return (
    <Panel title={t.settings}>
      <ul className={styles.acts} inert={open !== undefined}>
        <OptIn id={id} number={n} />
        <Act name={t.register} hint={t.registerHint} action={t.register} run={() => setOpen("register")} />
        {n.customer ? (
          <OfCustomer customer={n.customer} />
        ) : (
          <Act name={t.reconnect} hint={t.reconnectHint} action={t.reconnect} run={() => setOpen("reconnect")} />
        )}
        <Act name={t.disconnect} hint={t.disconnectHint} action={t.disconnect} danger run={() => setOpen("disconnect")} />
      </ul>
      {open === "register" && <Register id={id} close={close} />}
      {open === "reconnect" && <ConnectDialog team={n.team_id} close={close} />}
      {open === "disconnect" && <Disconnect id={id} number={n} close={close} />}
    </Panel>
  );
}

function Act(props: { name: string; hint: string; action: string; danger?: boolean; run: () => void }) {
  return (
    <li>
      <div>
        <strong>{props.name}</strong>
        <p>{props.danger ? props.hint.split(". ").slice(0, 2).join(". ") + "." : props.hint}</p>
      </div>
      <Button variant="default" className={props.danger ? styles.danger : undefined} onClick={props.run}>
        {props.action}
      </Button>
    </li>
  );
}

function OfCustomer({ customer }: { customer: { id: string } }) {
  const t = useNumbers();
  const { plan } = useMe();
  return (
    <li>
      <div>
        <strong>{t.reconnect}</strong>
        <p>{t.reconnectCustomer}</p>
      </div>
      {plan.customers && <Link to="/customers/$id" params={{ id: customer.id }}>{t.toCustomer}</Link>}
    </li>
  );
}

function OptIn({ id, number: n }: { id: string; number: BusinessNumber }) {
  const t = useNumbers();
  const { mutate, isPending, variables } = useMutation({
    mutationFn: (require_opt_in: boolean) => send<BusinessNumber>("PATCH", `/${id}/number`, { require_opt_in }),
    onSuccess: (now) => {
      queryClient.setQueryData(numberQuery(id).queryKey, now);
      toast(now.require_opt_in ? t.optInOn : t.optInOff);
    },
    onError: toastError,
  });
  return (
    <li>
      <div>
        <strong id="opt-in">{t.optIn}</strong>
        <p id="opt-in-hint">{t.optInHint}</p>
      </div>
      <Switch
        aria-labelledby="opt-in"
        aria-describedby="opt-in-hint"
        checked={isPending ? variables : n.require_opt_in}
        onChange={(event) => mutate(event.currentTarget.checked)}
      />
    </li>
  );
}

function Register({ id, close }: { id: string; close: () => void }) {
  const t = useNumbers();
  const [pin, setPin] = useState("");
  const submit = useSubmit(["pin"], () => send("POST", `/${id}/register`, { pin }), () => {
    void queryClient.invalidateQueries({ queryKey: ["numbers"] });
    toast(t.registered);
    close();
  });
  return (
    <FormDialog title={t.register} action={t.register} close={close} submit={submit}>
      <p>{t.registerHint}</p>
      <TextInput
        required
        label={t.pin}
        description={t.pinHint}
        inputMode="numeric"
        autoComplete="off"
        maxLength={6}
        data-autofocus
        value={pin}
        error={submit.errorOf("pin")}
        onChange={(event) => setPin(event.target.value.trim())}
      />
    </FormDialog>
  );
}

function Disconnect({ id, number: n, close }: { id: string; number: BusinessNumber; close: () => void }) {
  const t = useNumbers();
  const navigate = useNavigate();
  const holdings = useQuery(holdingsQuery(id));
  const submit = useSubmit([], () => send("DELETE", `/${id}/number`), () => {
    toast(t.disconnectDone(numberName(n)));
    void navigate({ to: "/numbers" }).then(() => queryClient.invalidateQueries({ queryKey: ["numbers"], exact: true }));
  });
  return (
    <ByName title={t.disconnectTitle(numberName(n))} hint={t.disconnectHint} name={numberName(n)} action={t.disconnect} submit={submit} close={close}>
      <Loaded query={holdings} rows={2}>
        {(h) => <Losses holdings={h} />}
      </Loaded>
    </ByName>
  );
}

function Losses({ holdings }: { holdings: Holdings }) {
  const t = useNumbers();
  const number = new Intl.NumberFormat(useLanguage());
  const lost = (Object.keys(t.losses) as (keyof Holdings)[]).filter((what) => holdings[what] > 0);
  return (
    <ul className={styles.losses}>
      {lost.map((what) => (
        <li key={what}>{t.losses[what]((holdings[what] >= mostCounted ? "≥ " : "") + number.format(holdings[what]))}</li>
      ))}
      {lost.length === 0 && <li>{t.nothingLost}</li>}
    </ul>
  );
}
