import { Button } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { isMissing, send } from "../api/client";
import { numberQuery } from "../api/numbers";
import { queryClient, useIsAdmin, useMe, useSeesEverybody } from "../api/queries";
import type { BusinessNumber } from "../api/types";
import { CopyId } from "../inbox/context/CopyId";
import { useLanguage, useText } from "../i18n";
import { Panel, Section } from "../settings/Section";
import { Parts } from "../ui/Parts";
import { Icon } from "../ui/icons";
import { LinkButton } from "../ui/LinkButton";
import { Loaded } from "../ui/Loaded";
import { Missing } from "../ui/Missing";
import { Time } from "../ui/Time";
import { toast, toastError } from "../ui/toasts";
import { limitText, qualityTone, statusTone } from "./data";
import { FailuresPanel } from "./FailuresPanel";
import { HistoryPanel } from "./HistoryPanel";
import { ManagePanel } from "./ManagePanel";
import { Mark } from "./Marks";
import styles from "./Numbers.module.css";
import { PacePanel } from "./PacePanel";
import { ProfilePanel } from "./ProfilePanel";
import { useNumbers } from "./text";
import { numberName, phoneOf } from "../ui/phone";

export default function NumberPage() {
  const t = useNumbers();
  const common = useText("common");
  const { number: id } = useParams({ from: "/signed-in/numbers/$number" });
  const query = useQuery(numberQuery(id));
  return (
    <div className={styles.scroll}>
      {!isMissing(query.error) && (
        <nav className={styles.back}>
          <Link to="/numbers">{t.back}</Link>
        </nav>
      )}
      <Loaded query={query} missing={<Missing page icon="sim" title={common.noSuchNumber} back={<LinkButton variant="default" to="/numbers">{t.back}</LinkButton>} />}>
        {(n) => <Detail key={id} id={id} number={n} />}
      </Loaded>
    </div>
  );
}

/** Agents see how a number stands. The rest is for admins. */
function Detail({ id, number: n }: { id: string; number: BusinessNumber }) {
  const t = useNumbers();
  const admin = useIsAdmin();
  const everybody = useSeesEverybody();
  const owner = n.customer ? t.ofCustomer(n.customer.name) : t.own;
  return (
    <Section title={numberName(n)} hint={<Parts>{[n.name && phoneOf(n.phone_number), owner]}</Parts>} action={admin && <Refresh id={id} />}>
      <Panel title={t.standing}>
        <Warnings number={n} />
        <Facts number={n} />
      </Panel>
      <HistoryPanel id={id} />
      <PacePanel id={id} />
      {admin && everybody && <FailuresPanel id={id} />}
      {admin && <ProfilePanel id={id} />}
      {admin && <ManagePanel id={id} number={n} />}
    </Section>
  );
}

function Refresh({ id }: { id: string }) {
  const t = useNumbers();
  const { mutate, isPending } = useMutation({
    mutationFn: () => send<BusinessNumber>("POST", `/${id}/number/refresh`),
    onSuccess: (now) => {
      queryClient.setQueryData(numberQuery(id).queryKey, now);
      void queryClient.invalidateQueries({ queryKey: ["numbers"] });
      toast(t.refreshed);
    },
    onError: toastError,
  });
  return (
    <Button variant="default" leftSection={<Icon name="refresh" size={18} />} loading={isPending} onClick={() => mutate()}>
      {t.refresh}
    </Button>
  );
}

function Warnings({ number: n }: { number: BusinessNumber }) {
  const t = useNumbers();
  const stopped = n.customer && (n.customer.status === "suspended" || n.customer.status === "archived");
  const all = [
    n.status !== "connected" && `${t.statuses[n.status] ?? n.status}${n.status_reason ? `: ${n.status_reason}` : ""}`,
    n.restriction && t.restricted(t.restrictions[n.restriction] ?? n.restriction),
    stopped && n.customer && t.customerStopped(n.customer.name, n.customer.status),
  ].filter(Boolean);
  return all.map((text) => (
    <p key={String(text)} className={styles.warning}>
      <Icon name="warning" />
      <span>{text}</span>
    </p>
  ));
}

function Facts({ number: n }: { number: BusinessNumber }) {
  const t = useNumbers();
  const language = useLanguage();
  const { plan } = useMe();
  const admin = useIsAdmin();
  return (
    <dl className={styles.facts}>
      <div>
        <dt>{t.status}</dt>
        <dd><Mark tone={statusTone(n.status)} /> {t.statuses[n.status] ?? n.status}</dd>
      </div>
      <div>
        <dt>{t.quality}</dt>
        <dd><Mark tone={qualityTone(n.quality)} /> {(n.quality && t.qualities[n.quality]) || n.quality || t.noQuality}</dd>
      </div>
      <div>
        <dt>{t.limitName}</dt>
        <dd>{limitText(n, t, language)}</dd>
      </div>
      {n.provider_status && (
        <div>
          <dt>{t.providerSays}</dt>
          <dd className="mono">{n.provider_status}</dd>
        </div>
      )}
      <div>
        <dt>{t.since}</dt>
        <dd><Time value={n.created_at} fact /></dd>
      </div>
      {n.phone_number_id && (
        <div>
          <dt>{t.numberId}</dt>
          <dd><CopyId value={n.phone_number_id} /></dd>
        </div>
      )}
      <div>
        <dt>{t.account}</dt>
        <dd><CopyId value={n.waba_id} /></dd>
      </div>
      {n.customer && admin && plan.customers && (
        <div>
          <dt>{t.ofCustomer(n.customer.name)}</dt>
          <dd><Link to="/customers/$id" params={{ id: n.customer.id }}>{t.toCustomer}</Link></dd>
        </div>
      )}
    </dl>
  );
}
