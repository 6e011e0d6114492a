import { Button, NativeSelect } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { send } from "../../api/client";
import { Loaded } from "../../ui/Loaded";
import { toastError } from "../../ui/toasts";
import styles from "../parts/console.module.css";
import { useDev } from "../text";
import { signatureQuery, type DeliveryDetail, type Signature as Signed } from "./data";
import { canSign, hmac } from "./hmac";

/** Shows a secret, and what this browser computes with it. */
function Check({ endpoint, signed, by }: { endpoint: string; signed: Signed; by: Signed["secrets"][number] }) {
  const t = useDev();
  const check = useMutation({
    mutationFn: async () => {
      const { secret } = await send<{ secret: string }>("POST", `/webhook_subscriptions/${endpoint}/secrets/${by.id}/reveal`);
      return { secret, computed: canSign() ? await hmac(secret, `${signed.timestamp}.${signed.body}`) : undefined };
    },
    onError: toastError,
  });
  if (!check.data) {
    return (
      <Button size="compact-sm" variant="default" loading={check.isPending} onClick={() => check.mutate()}>
        {t.checkHere}
      </Button>
    );
  }
  const { secret, computed } = check.data;
  return (
    <>
      <span className="mono">{secret}</span>
      <br />
      {computed === undefined ? t.cannotSign : computed === by.signature ? t.signatureAgrees : t.signatureDiffers}
    </>
  );
}

function Steps({ endpoint, signed }: { endpoint: string; signed: Signed }) {
  const t = useDev();
  if (signed.body === null) return <p>{t.payloadRemoved}</p>;
  if (signed.secrets.length === 0) return <p>{t.secretsGone}</p>;
  return signed.secrets.map((by) => (
    <ol key={by.id} className={styles.steps} aria-label={t.signatureOf(by.hint)}>
      <li>
        <span className="mono">t = {signed.timestamp}</span>
      </li>
      <li>
        <span>
          {t.signedText} <span className="mono">{`${signed.timestamp}.${signed.body?.slice(0, 40)}…`}</span>
        </span>
      </li>
      <li>
        <span>
          {t.hmacWith} <span className="mono">{by.hint}</span> <Check endpoint={endpoint} signed={signed} by={by} />
        </span>
      </li>
      <li>
        <span className="mono">v1 = {by.signature}</span>
      </li>
    </ol>
  ));
}

/** How an attempt was signed, step by step, and the headers that it carried. */
export function Signature({ delivery }: { delivery: DeliveryDetail }) {
  const t = useDev();
  const [attempt, setAttempt] = useState(delivery.attempts.length);
  const query = useQuery(signatureQuery(delivery.id, attempt));
  return (
    <>
      <h3>{t.signature}</h3>
      {delivery.attempts.length > 1 && (
        <NativeSelect
          mb={10}
          aria-label={t.attempt}
          value={attempt}
          data={delivery.attempts.map((one) => ({ value: String(one.attempt), label: t.attemptNumber(one.attempt) }))}
          onChange={(event) => setAttempt(Number(event.target.value))}
        />
      )}
      <Loaded query={query} rows={2}>
        {(signed) => (
          <>
            <Steps endpoint={delivery.subscription_id} signed={signed} />
            <h3>{t.headers}</h3>
            <dl className={`${styles.facts} mono`}>
              {signed.headers.map((header) => (
                <div key={header.name} style={{ display: "contents" }}>
                  <dt>{header.name}</dt>
                  <dd>{header.value}</dd>
                </div>
              ))}
            </dl>
          </>
        )}
      </Loaded>
    </>
  );
}
