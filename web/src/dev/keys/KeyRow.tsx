import { Button } from "@mantine/core";
import { Row, Tag } from "../../settings/Rows";
import { Parts } from "../../ui/Parts";
import { Time } from "../../ui/Time";
import { useDev } from "../text";
import { stateOf, type Key } from "./data";

/** A key by its name and its end, with what happened to it. */
export function KeyRow({ apiKey, revoke }: { apiKey: Key; revoke: () => void }) {
  const t = useDev();
  const state = stateOf(apiKey);
  const id = `key-${apiKey.id}`;
  return (
    <Row
      name={
        <>
          <span id={id}>{apiKey.name}</span>
          <span className="mono">svc_live_…{apiKey.last4}</span>
          {state !== "active" && <Tag kind={state === "revoked" ? "red" : "amber"}>{t.keyStates[state]}</Tag>}
        </>
      }
      detail={
        <Parts>
          <>{t.created} <Time value={apiKey.created_at} /></>
          {apiKey.last_used_at ? <>{t.lastUsed} <Time value={apiKey.last_used_at} relative /></> : t.neverUsed}
          {apiKey.expires_at && state !== "revoked" && <>{t.expires} <Time value={apiKey.expires_at} relative /></>}
        </Parts>
      }
      actions={
        state === "active" && (
          <Button variant="default" aria-describedby={id} onClick={revoke}>
            {t.revoke}
          </Button>
        )
      }
    />
  );
}
