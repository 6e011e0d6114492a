import { Button, Select } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { address } from "../api/client";
import { useText } from "../i18n";
import { Panel } from "../settings/Section";
import { EmptyState } from "../ui/EmptyState";
import { Icon } from "../ui/icons";
import { Loaded } from "../ui/Loaded";
import { More } from "../ui/More";
import { NoneFound } from "../ui/NoneFound";
import { useReason } from "../ui/reasons";
import styles from "./Broadcasts.module.css";
import { isOpen, pathOf, recipientFilter, recipientsQuery, type Broadcast, type Recipient, type RecipientSearch } from "./data";
import { useBroadcasts } from "./text";
import { phoneOf } from "../ui/phone";

/** Each recipient, with what became of it and the way to the conversation. */
export function Recipients({ broadcast: b, search }: { broadcast: Broadcast; search: RecipientSearch }) {
  const t = useBroadcasts();
  const common = useText("common");
  const navigate = useNavigate();
  const query = useInfiniteQuery(recipientsQuery(b, { show: search.show, reason: search.reason }));
  const show = (next: RecipientSearch) => void navigate({ to: "/broadcasts/$id", params: { id: b.id }, search: next, replace: true, resetScroll: false });
  const set = (what: string | null) => show({ show: what === "all" ? undefined : (what as RecipientSearch["show"]) });
  return (
    <Panel title={t.recipients}>
      <div className={styles.bar}>
        <Select label={t.show} allowDeselect={false} value={search.show ?? "all"} onChange={set} data={Object.entries(t.shows).map(([value, label]) => ({ value, label }))} />
        {search.reason && <OnlyReason reason={search.reason} clear={() => show({ show: search.show })} />}
        <Button variant="default" component="a" download href={address(pathOf(b, "/recipients.csv"), recipientFilter(search))} leftSection={<Icon name="download" size={16} />}>{t.exportFile}</Button>
      </div>
      <Loaded query={query}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.data);
          if (rows.length === 0 && (search.show ?? search.reason)) return <NoneFound icon="people" title={t.noneLikeThat} clear={() => show({})} />;
          if (rows.length === 0) return <EmptyState icon="people" title={isOpen(b) ? t.notYet : t.noRecipients} />;
          return (
            <>
              <ul className={styles.people} aria-label={t.recipients}>{rows.map((r) => <Person key={r.id} recipient={r} />)}</ul>
              <More mt={12} query={query} text={common.more} />
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}

/** The reason to which the list is narrowed. */
function OnlyReason({ reason, clear }: { reason: string; clear: () => void }) {
  const t = useBroadcasts();
  const common = useText("common");
  const text = t.onlyReason(useReason()(reason));
  return <Button variant="default" rightSection={<Icon name="close" size={14} />} aria-label={`${text}. ${common.clearFilters}`} onClick={clear}>{text}</Button>;
}

function Person({ recipient: r }: { recipient: Recipient }) {
  const reason = useReason();
  const t = useBroadcasts();
  const name = r.name ?? (phoneOf(r.to) || t.deletedPerson);
  const status = r.message_status ? (t.messageStatuses[r.message_status] ?? r.message_status) : t.shows[r.status];
  const more = [r.reason && reason(r.reason), r.replied_at && t.replied, r.clicked && t.pressed(r.clicked), r.opted_out_at && t.stages.opted_out];
  return (
    <li>
      <span className={styles.cut}>
        {r.contact_id ? <Link to="/contacts/$id" params={{ id: r.contact_id }}>{name}</Link> : name}
        {r.name && <span className={styles.quiet}> {phoneOf(r.to)}</span>}
      </span>
      <span className={`${styles.quiet} ${r.status === "failed" ? styles.bad : ""}`}>{[status, ...more].filter(Boolean).join(" · ")}</span>
      {r.conversation_id ? (
        <Link to="/inbox/$view/{-$conversation}" params={{ view: "all", conversation: r.conversation_id }} search={{ status: "any" }}>{t.conversation}</Link>
      ) : <span />}
    </li>
  );
}
