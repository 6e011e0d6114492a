import { send } from "../../api/client";
import { useSubmit } from "../../ui/useSubmit";
import { ByName } from "../parts/ByName";
import { useDev } from "../text";
import { refreshWebhooks, shortURL, type Endpoint } from "./data";

export function DeleteEndpoint({ endpoint, close, gone }: { endpoint: Endpoint; close: () => void; gone: () => void }) {
  const t = useDev();
  const submit = useSubmit(
    [],
    () => send("DELETE", `/webhook_subscriptions/${endpoint.id}`),
    () => {
      gone();
      refreshWebhooks();
    },
  );
  return (
    <ByName title={t.endpointDelete} hint={t.endpointDeleteHint} name={shortURL(endpoint.url)} action={t.delete} submit={submit} close={close} />
  );
}
