import { Button, NativeSelect } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { send } from "../api/client";
import { queryClient } from "../api/queries";
import shared from "../numbers/Numbers.module.css";
import { Row, Rows, Tag } from "../settings/Rows";
import { Panel } from "../settings/Section";
import { Confirm } from "../ui/Confirm";
import { CopyField } from "../ui/CopyField";
import { FormDialog } from "../ui/Dialog";
import dialog from "../ui/Dialog.module.css";
import { Modal } from "../ui/Modal";
import { Parts } from "../ui/Parts";
import { Icon } from "../ui/icons";
import { Loaded } from "../ui/Loaded";
import { QrCode } from "../ui/QrCode";
import { Time } from "../ui/Time";
import { toast, toastError } from "../ui/toasts";
import { useSubmit } from "../ui/useSubmit";
import styles from "./Customers.module.css";
import { linksQuery, type Customer, type SetupLink } from "./data";
import { useCustomers } from "./text";

/** The links under which a customer connects numbers. */
export function LinksPanel({ customer: c }: { customer: Customer }) {
  const t = useCustomers();
  const links = useQuery(linksQuery(c.id));
  const [creating, setCreating] = useState(false);
  const [made, setMade] = useState<SetupLink>();
  const archived = c.status === "archived";
  return (
    <Panel title={t.links}>
      <div className={styles.panelHead} inert={creating || made !== undefined}>
        <p>{archived ? t.linksNotArchived : t.linksHint}</p>
        {!archived && (
          <Button leftSection={<Icon name="link" size={18} />} onClick={() => setCreating(true)}>
            {t.createLink}
          </Button>
        )}
      </div>
      <Loaded query={links} rows={2}>
        {(list) => (list.length > 0 ? <List customer={c} links={list} /> : <p className={shared.note}>{t.noLinks}</p>)}
      </Loaded>
      {creating && (
        <Create
          customer={c}
          close={() => setCreating(false)}
          show={(link) => {
            setCreating(false);
            setMade(link);
          }}
        />
      )}
      {made && <Made link={made} close={() => setMade(undefined)} />}
    </Panel>
  );
}

function List({ customer, links }: { customer: Customer; links: SetupLink[] }) {
  const t = useCustomers();
  const revoke = useMutation({
    mutationFn: (id: string) => send("DELETE", `/customers/${customer.id}/setup_links/${id}`),
    onSuccess: () => {
      void queryClient.invalidateQueries(linksQuery(customer.id));
      toast(t.revoked);
    },
    onError: toastError,
  });
  const [asked, ask] = useState<string>();
  const close = () => ask(undefined);
  const confirm = () => {
    close();
    if (asked) revoke.mutate(asked);
  };
  return (
    <>
      <Rows label={t.links}>
        {links.map((link) => (
          <Row
            key={link.id}
            name={
              <>
                <span className="mono" id={`link-${link.id}`}>{t.linkName(link.token_last4)}</span>
                <Tag kind={link.status === "active" ? "green" : undefined}>{t.linkStatuses[link.status]}</Tag>
              </>
            }
            detail={
              <Parts>
                <>{t.made} <Time value={link.created_at} /></>
                {link.status === "active" && <>{t.expires} <Time value={link.expires_at} relative /></>}
                {link.consumed_at && <>{t.used} <Time value={link.consumed_at} /></>}
              </Parts>
            }
            actions={
              link.status === "active" && (
                <Button variant="default" aria-describedby={`link-${link.id}`} loading={revoke.isPending && revoke.variables === link.id} onClick={() => ask(link.id)}>
                  {t.revoke}
                </Button>
              )
            }
          />
        ))}
      </Rows>
      {asked && <Confirm title={t.revokeTitle} hint={t.revokeHint} action={t.revoke} close={close} confirm={confirm} />}
    </>
  );
}

function Create({ customer, close, show }: { customer: Customer; close: () => void; show: (link: SetupLink) => void }) {
  const t = useCustomers();
  const [hours, setHours] = useState("168");
  const submit = useSubmit(
    ["expires_in_hours"],
    () => send<SetupLink>("POST", `/customers/${customer.id}/setup_links`, { expires_in_hours: Number(hours) }),
    (made) => {
      void queryClient.invalidateQueries(linksQuery(customer.id));
      show(made);
    },
  );
  return (
    <FormDialog title={t.createLink} action={t.createLink} close={close} submit={submit}>
      <NativeSelect
        label={t.expiry}
        data-autofocus
        value={hours}
        error={submit.errorOf("expires_in_hours")}
        data={Object.entries(t.expiries).map(([value, label]) => ({ value, label }))}
        onChange={(event) => setHours(event.target.value)}
      />
    </FormDialog>
  );
}

/** Shows a link once. Neither a click beside the dialog nor Escape closes it, for the address would be gone. */
function Made({ link, close }: { link: SetupLink; close: () => void }) {
  const t = useCustomers();
  return (
    <Modal onClose={close} title={t.linkMade} closeOnClickOutside={false} closeOnEscape={false} withCloseButton={false}>
      <div className={dialog.form}>
        <p>{t.linkMadeHint}</p>
        <CopyField label={t.linkAddress} value={link.setup_url ?? ""} />
        <div className={styles.made}>
          <QrCode value={link.setup_url ?? ""} label={t.qr} />
        </div>
        <div className={dialog.buttons}>
          <Button onClick={close}>{t.done}</Button>
        </div>
      </div>
    </Modal>
  );
}
