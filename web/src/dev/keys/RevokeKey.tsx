import { send } from "../../api/client";
import { queryClient } from "../../api/queries";
import { toast } from "../../ui/toasts";
import { useSubmit } from "../../ui/useSubmit";
import { ByName } from "../parts/ByName";
import { useDev } from "../text";
import { keysQuery, type Key } from "./data";

/** A revoked key is gone for good, so its name is asked for. */
export function RevokeKey({ apiKey, close }: { apiKey: Key; close: () => void }) {
  const t = useDev();
  const submit = useSubmit(
    [],
    () => send("DELETE", `/keys/${apiKey.id}`),
    () => {
      void queryClient.invalidateQueries(keysQuery);
      toast(t.keyRevoked(apiKey.name));
      close();
    },
  );
  return (
    <ByName title={t.keyRevoke(apiKey.name)} hint={t.keyRevokeHint} name={apiKey.name} action={t.revoke} submit={submit} close={close} />
  );
}
