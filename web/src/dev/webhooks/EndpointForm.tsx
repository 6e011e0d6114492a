import { MultiSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { send } from "../../api/client";
import { useMe } from "../../api/queries";
import { FormDialog } from "../../ui/Dialog";
import { useSubmit } from "../../ui/useSubmit";
import { eventTypesQuery } from "../events/data";
import { useDev } from "../text";
import { refreshWebhooks, type Endpoint } from "./data";
import { NumbersSelect } from "../../ui/NumberSelect";

/** Adds an endpoint or changes one. One that the service has disabled is enabled by saving it. */
export function EndpointForm(props: { endpoint?: Endpoint; close: () => void; done: (endpoint: Endpoint) => void }) {
  const t = useDev();
  const me = useMe();
  const { endpoint } = props;
  const types = useQuery(eventTypesQuery).data ?? [];
  const [url, setURL] = useState(endpoint?.url ?? "https://");
  const [events, setEvents] = useState(endpoint?.events ?? ["*"]);
  const [numbers, setNumbers] = useState(endpoint?.phone_number_ids ?? []);
  const [description, setDescription] = useState(endpoint?.description ?? "");
  const submit = useSubmit(
    ["url", "events", "phone_number_ids", "description"],
    () => {
      const body = { url, events, phone_number_ids: numbers, description: description || null };
      if (!endpoint) return send<Endpoint>("POST", "/webhook_subscriptions", body);
      const revive = endpoint.status === "disabled" ? { status: "active" } : {};
      return send<Endpoint>("PATCH", `/webhook_subscriptions/${endpoint.id}`, { ...body, ...revive });
    },
    (made) => {
      refreshWebhooks();
      props.done(made);
    },
  );
  const all = { value: "*", label: t.allEvents };
  return (
    <FormDialog title={endpoint ? t.endpointEdit : t.endpointAdd} action={endpoint ? t.saveEndpoint : t.endpointAdd} close={props.close} submit={submit}>
      <TextInput
        required
        label={t.url}
        description={t.urlHint}
        data-autofocus
        {...submit.field("url", url, setURL)}
      />
      <MultiSelect
        label={t.events}
        data={[all, ...types.map(({ type }) => ({ value: type, label: type }))]}
        value={events}
        searchable
        error={submit.errorOf("events")}
        onChange={(chosen) => setEvents(chosen.at(-1) === "*" ? ["*"] : chosen.filter((type) => type !== "*"))}
      />
      {me.numbers.length > 0 && (
        <NumbersSelect
          label={t.numbers}
          placeholder={numbers.length === 0 ? t.allNumbers : undefined}
          value={numbers}
          error={submit.errorOf("phone_number_ids")}
          onChange={setNumbers}
        />
      )}
      <TextInput label={t.description} {...submit.field("description", description, setDescription)} />
    </FormDialog>
  );
}
