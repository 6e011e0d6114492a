import { Button } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { send } from "../api/client";
import { queryClient } from "../api/queries";
import { useLanguage } from "../i18n";
import { mostCounted } from "../numbers/data";
import shared from "../numbers/Numbers.module.css";
import { Panel } from "../settings/Section";
import { FormDialog } from "../ui/Dialog";
import { Loaded } from "../ui/Loaded";
import { toast, toastError } from "../ui/toasts";
import { useSubmit } from "../ui/useSubmit";
import { customerHoldingsQuery, type Customer, type CustomerHoldings } from "./data";
import { useCustomers } from "./text";

type Asked = "suspend" | "archive";

const refresh = () => void queryClient.invalidateQueries({ queryKey: ["customers"] });

/** Suspending, archiving and their undoing. What stops is told before it does. */
export function LifePanel({ customer: c }: { customer: Customer }) {
  const t = useCustomers();
  const [asked, setAsked] = useState<Asked>();
  const activate = useMutation({
    mutationFn: () => send("PATCH", `/customers/${c.id}`, { status: "active" }),
    onSuccess: () => { refresh(); toast(t.activated(c.name)); },
    onError: toastError,
  });
  const restore = useMutation({
    mutationFn: () => send("POST", `/customers/${c.id}/restore`),
    onSuccess: () => { refresh(); toast(t.restored(c.name)); },
    onError: toastError,
  });
  const archived = c.status === "archived";
  return (
    <Panel title={t.life}>
      <ul className={shared.acts} inert={asked !== undefined}>
        {archived && <Act name={t.restore} hint={t.restoreHint} busy={restore.isPending} run={() => restore.mutate()} />}
        {c.status === "suspended" && <Act name={t.activate} hint={t.activateHint} busy={activate.isPending} run={() => activate.mutate()} />}
        {!archived && c.status !== "suspended" && <Act name={t.suspend} hint={t.suspendHint} run={() => setAsked("suspend")} />}
        {!archived && <Act name={t.archive} hint={t.archiveHint} danger run={() => setAsked("archive")} />}
      </ul>
      {asked && <Confirm customer={c} what={asked} close={() => setAsked(undefined)} />}
    </Panel>
  );
}

function Act(props: { name: string; hint: string; danger?: boolean; busy?: boolean; run: () => void }) {
  return (
    <li>
      <div>
        <strong>{props.name}</strong>
        <p>{props.hint}</p>
      </div>
      <Button variant="default" className={props.danger ? shared.danger : undefined} loading={props.busy} onClick={props.run}>
        {props.name}
      </Button>
    </li>
  );
}

function Confirm({ customer: c, what, close }: { customer: Customer; what: Asked; close: () => void }) {
  const t = useCustomers();
  const holdings = useQuery(customerHoldingsQuery(c.id));
  const archive = what === "archive";
  const submit = useSubmit(
    [],
    () => (archive ? send("DELETE", `/customers/${c.id}`) : send("PATCH", `/customers/${c.id}`, { status: "suspended" })),
    () => {
      refresh();
      toast(archive ? t.archived(c.name) : t.suspended(c.name));
      close();
    },
  );
  return (
    <FormDialog title={archive ? t.archiveTitle(c.name) : t.suspendTitle(c.name)} action={archive ? t.archive : t.suspend} danger close={close} submit={submit}>
      <p>{archive ? t.archiveHint : t.suspendHint}</p>
      <Loaded query={holdings} rows={2}>
        {(h) => <Stops holdings={h} archive={archive} />}
      </Loaded>
    </FormDialog>
  );
}

function Stops({ holdings: h, archive }: { holdings: CustomerHoldings; archive: boolean }) {
  const t = useCustomers();
  const number = new Intl.NumberFormat(useLanguage());
  const text = (n: number) => (n >= mostCounted ? "≥ " : "") + number.format(n);
  const stops = [
    h.numbers > 0 && t.stops.numbers(text(h.numbers)),
    h.queued > 0 && t.stops.queued(text(h.queued)),
    h.running_broadcasts > 0 && t.stops.broadcasts(text(h.running_broadcasts)),
    archive && h.active_links > 0 && t.stops.links(text(h.active_links)),
  ].filter((line): line is string => Boolean(line));
  return (
    <div>
      <strong>{t.follows}</strong>
      <ul className={shared.losses}>
        {stops.map((line) => <li key={line}>{line}</li>)}
        {stops.length === 0 && <li>{t.nothingStops}</li>}
        {h.numbers > 0 && <li>{t.stillReceives}</li>}
      </ul>
    </div>
  );
}
