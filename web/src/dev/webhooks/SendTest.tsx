import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { send } from "../../api/client";
import { FormDialog } from "../../ui/Dialog";
import { useSubmit } from "../../ui/useSubmit";
import { eventTypesQuery } from "../events/data";
import { Json } from "../parts/Json";
import { useDev } from "../text";
import { refreshWebhooks, type Endpoint } from "./data";

/** Sends a sample of any type of event, and shows how its delivery goes. */
export function SendTest({ endpoint, close, show }: { endpoint: Endpoint; close: () => void; show: (delivery: string) => void }) {
  const t = useDev();
  const types = useQuery(eventTypesQuery).data ?? [];
  const [chosen, setChosen] = useState(endpoint.events[0] === "*" ? "message.received" : endpoint.events[0]);
  const submit = useSubmit(
    ["event_type"],
    () => send<{ id: string }>("POST", `/webhook_subscriptions/${endpoint.id}/test`, { event_type: chosen }),
    (delivery) => {
      refreshWebhooks();
      close();
      show(delivery.id);
    },
  );
  return (
    <FormDialog title={t.sendTest} action={t.sendTest} close={close} submit={submit}>
      <p>{t.sendTestHint}</p>
      <NativeSelect
        label={t.event}
        data-autofocus
        value={chosen}
        error={submit.errorOf("event_type")}
        data={types.map(({ type }) => type)}
        onChange={(event) => setChosen(event.target.value)}
      />
      <Json short value={types.find(({ type }) => type === chosen)?.sample ?? {}} label={t.sample} />
    </FormDialog>
  );
}
