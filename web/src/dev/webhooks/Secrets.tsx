import { Button, NativeSelect } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { send } from "../../api/client";
import { useText } from "../../i18n";
import { Confirm } from "../../ui/Confirm";
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

/** One secret that signs: its text on demand, and its end. The last one has none: it signs until there is another. */
function SecretRow({ endpoint, secret, gone }: { endpoint: Endpoint; secret: SecretRef; gone: () => void }) {
  const t = useDev();
  const [asking, setAsking] = useState(false);
  const last = endpoint.secrets.length === 1;
  const at = `/webhook_subscriptions/${endpoint.id}/secrets/${secret.id}`;
  const reveal = useMutation({ mutationFn: () => send<{ secret: string }>("POST", `${at}/reveal`), onError: toastError });
  const remove = useMutation({
    mutationFn: () => send("DELETE", at),
    onSuccess: () => {
      toast(t.secretRemoved);
      gone();
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
          {!last && secret.expires_at && <>{t.expires} <Time value={secret.expires_at} relative /></>}
        </Parts>
      }
      actions={
        <span className={styles.actions}>
          {!reveal.data && (
            <Button variant="default" size="compact-sm" onClick={() => reveal.mutate()}>
              {t.show}
            </Button>
          )}
          {!last && (
            <Button variant="default" size="compact-sm" loading={remove.isPending} onClick={() => setAsking(true)}>
              {t.removeSecret}
            </Button>
          )}
          {asking && (
            <Confirm
              title={t.secretRemoveTitle}
              hint={t.secretRemoveHint}
              action={t.removeSecret}
              close={() => setAsking(false)}
              confirm={() => {
                setAsking(false);
                remove.mutate();
              }}
            />
          )}
        </span>
      }
    />
  );
}

/** Makes another secret, of which the text is known until that one is removed. */
function useMaking(endpoint: Endpoint, hours: string) {
  return useMutation({
    mutationFn: () =>
      send<{ id: string; secret: string }>("POST", `/webhook_subscriptions/${endpoint.id}/secrets`, hours === "never" ? {} : { expire_others_in_hours: Number(hours) }),
    onSuccess: refreshWebhooks,
    onError: toastError,
  });
}

type Making = ReturnType<typeof useMaking>;

/** The walk: make another secret, give it to the receiver, let the old one go. Both sign meanwhile. */
function Rotation({ make, hours, setHours }: { make: Making; hours: string; setHours: (hours: string) => void }) {
  const t = useDev();
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
  const [hours, setHours] = useState("24");
  const make = useMaking(endpoint, hours);
  return (
    <Modal onClose={close} size="lg" title={t.secrets} closeButtonProps={{ "aria-label": common.close }}>
      <div className={dialog.form}>
        <p>{t.secretsHint}</p>
        <Rows label={t.secrets}>
          {current.secrets.map((secret) => (
            <SecretRow key={secret.id} endpoint={current} secret={secret} gone={() => make.data?.id === secret.id && make.reset()} />
          ))}
        </Rows>
        <h3 className={styles.walk}>{t.rotate}</h3>
        <Rotation make={make} hours={hours} setHours={setHours} />
      </div>
    </Modal>
  );
}
