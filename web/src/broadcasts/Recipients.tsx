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
import { useReason } from "../ui/reasons";
import styles from "./Broadcasts.module.css";
import { pathOf, recipientFilter, recipientsQuery, type Broadcast, type Recipient, type RecipientSearch } from "./data";
import { useBroadcasts } from "./text";
import { phoneOf } from "../ui/phone";

/** Each recipient, with what became of it and the way to the conversation. */
export function Recipients({ broadcast: b, search }: { broadcast: Broadcast; search: RecipientSearch }) {
  const t = useBroadcasts();
  const common = useText("common");
  const navigate = useNavigate();
  const query = useInfiniteQuery(recipientsQuery(b, { show: search.show, reason: search.reason }));
  const set = (show: string | null) =>
    void navigate({ to: "/broadcasts/$id", params: { id: b.id }, search: { show: show === "all" ? undefined : (show as RecipientSearch["show"]) }, replace: true, resetScroll: false });
  return (
    <Panel title={t.recipients}>
      <div className={styles.bar}>
        <Select label={t.show} allowDeselect={false} value={search.show ?? "all"} onChange={set} data={Object.entries(t.shows).map(([value, label]) => ({ value, label }))} />
        <Button variant="default" component="a" download href={address(pathOf(b, "/recipients.csv"), recipientFilter(search))} leftSection={<Icon name="download" size={16} />}>{t.exportFile}</Button>
      </div>
      <Loaded query={query}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.data);
          if (rows.length === 0) return <EmptyState icon="people" title={t.noRecipients} />;
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
      <span className={r.status === "failed" ? styles.bad : styles.quiet}>{[status, ...more].filter(Boolean).join(" · ")}</span>
      {r.conversation_id ? (
        <Link to="/inbox/$view/{-$conversation}" params={{ view: "all", conversation: r.conversation_id }} search={{ status: "any" }}>{t.conversation}</Link>
      ) : <span />}
    </li>
  );
}
