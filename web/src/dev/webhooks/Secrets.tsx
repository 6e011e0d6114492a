import { Button, NativeSelect } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { send } from "../../api/client";
import { useText } from "../../i18n";
import { CopyField } from "../../ui/CopyField";
import dialog from "../../ui/Dialog.module.css";
import { Modal } from "../../ui/Modal";
import { Parts } from "../../ui/Parts";
import { Time } from "../../ui/Time";
import { toast, toastError } from "../../ui/toasts";
import { Row, Rows } from "../../settings/Rows";
import styles from "../parts/console.module.css";
import { useDev } from "../text";
import { endpointQuery, refreshWebhooks, type Endpoint, type SecretRef } from "./data";

/** One secret that signs: its text on demand, and its end. */
function SecretRow({ endpoint, secret }: { endpoint: Endpoint; secret: SecretRef }) {
  const t = useDev();
  const at = `/webhook_subscriptions/${endpoint.id}/secrets/${secret.id}`;
  const reveal = useMutation({ mutationFn: () => send<{ secret: string }>("POST", `${at}/reveal`), onError: toastError });
  const remove = useMutation({
    mutationFn: () => send("DELETE", at),
    onSuccess: () => {
      toast(t.secretRemoved);
      refreshWebhooks();
    },
    onError: toastError,
  });
  return (
    <Row
      name={<span className="mono">{reveal.data?.secret ?? secret.id}</span>}
      detail={
        <Parts>
          <>{t.created} <Time value={secret.created_at} /></>
          {secret.expires_at && <>{t.expires} <Time value={secret.expires_at} relative /></>}
        </Parts>
      }
      actions={
        <span className={styles.actions}>
          {!reveal.data && (
            <Button variant="default" size="compact-sm" onClick={() => reveal.mutate()}>
              {t.show}
            </Button>
          )}
          {endpoint.secrets.length > 1 && (
            <Button variant="default" size="compact-sm" loading={remove.isPending} onClick={() => remove.mutate()}>
              {t.removeSecret}
            </Button>
          )}
        </span>
      }
    />
  );
}

/** The walk: make another secret, give it to the receiver, let the old one go. Both sign meanwhile. */
function Rotation({ endpoint }: { endpoint: Endpoint }) {
  const t = useDev();
  const [hours, setHours] = useState("24");
  const make = useMutation({
    mutationFn: () =>
      send<{ secret: string }>("POST", `/webhook_subscriptions/${endpoint.id}/secrets`, hours === "never" ? {} : { expire_others_in_hours: Number(hours) }),
    onSuccess: refreshWebhooks,
    onError: toastError,
  });
  return (
    <ol className={styles.steps} aria-label={t.rotate}>
      <li>
        <div className={styles.step}>
          {t.rotateMake}
          <NativeSelect
            label={t.rotateOld}
            value={hours}
            disabled={make.isSuccess}
            data={(["1", "24", "168", "never"] as const).map((value) => ({ value, label: t.overlaps[value] }))}
            onChange={(event) => setHours(event.target.value)}
          />
          <Button loading={make.isPending} disabled={make.isSuccess} onClick={() => make.mutate()}>
            {t.makeSecret}
          </Button>
        </div>
      </li>
      <li>
        <div className={styles.step}>
          {t.rotateGive}
          {make.data && <CopyField label={t.newSecret} value={make.data.secret} />}
        </div>
      </li>
      <li>
        <div>{hours === "never" ? t.rotateRemove : t.rotateWait}</div>
      </li>
    </ol>
  );
}

export function Secrets({ endpoint, close }: { endpoint: Endpoint; close: () => void }) {
  const t = useDev();
  const common = useText("common");
  const current = useQuery(endpointQuery(endpoint.id)).data ?? endpoint;
  return (
    <Modal onClose={close} size="lg" title={t.secrets} closeButtonProps={{ "aria-label": common.close }}>
      <div className={dialog.form}>
        <p>{t.secretsHint}</p>
        <Rows label={t.secrets}>
          {current.secrets.map((secret) => (
            <SecretRow key={secret.id} endpoint={current} secret={secret} />
          ))}
        </Rows>
        <h3 className={styles.walk}>{t.rotate}</h3>
        <Rotation endpoint={current} />
      </div>
    </Modal>
  );
}
