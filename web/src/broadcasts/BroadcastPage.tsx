import { Progress } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import { useRef } from "react";
import { isMissing } from "../api/client";
import { useNumber } from "../api/numbers";
import { useLanguage } from "../i18n";
import { LinkButton } from "../ui/LinkButton";
import { Loaded } from "../ui/Loaded";
import { Missing } from "../ui/Missing";
import { Parts } from "../ui/Parts";
import { Time } from "../ui/Time";
import { Actions } from "./Actions";
import { lastList, type BroadcastSearch } from "./address";
import styles from "./Broadcasts.module.css";
import { broadcastQuery, isOpen, type Broadcast, type RecipientSearch } from "./data";
import { Frame, State } from "./Frame";
import { Recipients } from "./Recipients";
import { ReportPanels } from "./ReportPanels";
import { useBroadcasts } from "./text";
import { Wizard } from "./Wizard";
import { inZone, ownZone, zoneName } from "./zones";
import { numberName } from "../ui/phone";

export default function BroadcastPage() {
  const t = useBroadcasts();
  const { id } = useParams({ from: "/signed-in/broadcasts/$id" });
  const search: BroadcastSearch = useSearch({ from: "/signed-in/broadcasts/$id" });
  const query = useQuery(broadcastQuery(id));
  const b = isMissing(query.error) ? undefined : query.data;
  const { number } = useNumber(b?.phone_number_id);
  const hint = b && (
    <Parts>
      <State broadcast={b} />
      {b.template.name}
      {number && numberName(number)}
      {b.started_at && <>{t.started} <Time value={b.started_at} /></>}
    </Parts>
  );
  return (
    <Frame title={b?.name ?? t.title} hint={hint} action={b && <Actions broadcast={b} editing={isOpen(b) && search.step !== undefined} />} back={!isMissing(query.error)}>
      <Loaded query={query} missing={<Missing icon="horn" title={t.missing} back={<LinkButton variant="default" to="/broadcasts" search={lastList()}>{t.back}</LinkButton>} />}>
        {(found) =>
          found.status === "draft" || (isOpen(found) && search.step) ? (
            <Wizard broadcast={found} step={search.step ?? 1} />
          ) : (
            <Story broadcast={found} search={search} />
          )
        }
      </Loaded>
    </Frame>
  );
}

/** How far it is, what became of it, and of whom. */
function Story({ broadcast: b, search }: { broadcast: Broadcast; search: RecipientSearch }) {
  const t = useBroadcasts();
  const format = new Intl.NumberFormat(useLanguage());
  const n = b.counts;
  const done = n.total - n.waiting;
  const list = useRef<HTMLDivElement>(null);
  // The list may be far below what narrows it, above all on a phone.
  const toList = () => {
    list.current?.focus({ preventScroll: true });
    list.current?.scrollIntoView();
  };
  return (
    <>
      <Notice broadcast={b} />
      {n.total > 0 && b.started_at && (
        <div className={styles.progress}>
          <span className={styles.quiet} role="status">{t.progress(format.format(done), format.format(n.total))}</span>
          <Progress value={(100 * done) / n.total} aria-label={t.progressName} />
        </div>
      )}
      {b.started_at && <ReportPanels broadcast={b} toList={toList} />}
      <div ref={list} className={styles.step} role="group" aria-label={t.recipients} tabIndex={-1}>
        <Recipients broadcast={b} search={search} />
      </div>
    </>
  );
}

/** Why it stands where it stands, and what to do about it. */
function Notice({ broadcast: b }: { broadcast: Broadcast }) {
  const t = useBroadcasts();
  const language = useLanguage();
  if (b.status === "scheduled" && b.scheduled_at) {
    const zone = b.time_zone ?? ownZone();
    return (
      <p className={`${styles.warning} ${styles.notice}`} data-kind="quiet">
        <strong>{t.starts} {inZone(b.scheduled_at, zone, language)}</strong>
        {zoneName(zone)}{zone !== ownZone() && <> · {t.yourTime(inZone(b.scheduled_at, ownZone(), language))}</>}
      </p>
    );
  }
  if (!b.status_reason) return null;
  const kind = b.status_reason === "by_user" ? "quiet" : b.status === "failed" ? "red" : undefined;
  return (
    <div className={`${styles.warning} ${styles.notice}`} data-kind={kind} role="status">
      <strong>{t.statuses[b.status]}</strong>
      {t.reasons[b.status_reason] ?? b.status_reason}
    </div>
  );
}
