import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { Conversation } from "../../api/types";
import { useText } from "../../i18n";
import { Avatar } from "../../ui/Avatar";
import { IconButton } from "../../ui/IconButton";
import { Time } from "../../ui/Time";
import { conversationQuery, fromLists, nameOf } from "../data/conversations";
import { WindowPill } from "../thread/WindowPill";
import { ContextLabels } from "./ContextLabels";
import { CopyId } from "./CopyId";
import { Earlier } from "./Earlier";
import { coverContext } from "./shown";
import styles from "./ContextPane.module.css";
import { numberName, phoneOf } from "../../ui/phone";

/** What is known of the person and of the conversation. */
export function ContextPane({ id }: { id: string }) {
  const t = useText("inbox");
  const common = useText("common");
  const client = useQueryClient();
  const c = useQuery({ ...conversationQuery(id), placeholderData: () => fromLists(client, id) }).data;
  if (!c) return null;
  return (
    <div className={styles.context}>
      <div className={styles.card}>
        <Avatar name={nameOf(c)} id={c.contact.id} />
        <div>
          <b>{nameOf(c)}</b>
          {c.contact.phone_number && c.contact.name && (
            <CopyId value={c.contact.phone_number} shown={phoneOf(c.contact.phone_number) ?? ""} />
          )}
        </div>
        <IconButton icon="close" label={common.close} className={styles.close} size={44} onClick={() => coverContext(false)} />
      </div>
      <h3>{t.labels}</h3>
      <ContextLabels conversation={c} />
      <h3>{t.details}</h3>
      <Details conversation={c} />
      <Earlier id={id} />
      <h3>{t.ids}</h3>
      <Ids conversation={c} />
    </div>
  );
}

function Details({ conversation: c }: { conversation: Conversation }) {
  const t = useText("inbox");
  return (
    <dl className={styles.facts}>
      {c.contact.username && <Fact name={t.username}>@{c.contact.username}</Fact>}
      <Fact name={t.number}>{numberName(c.number)}</Fact>
      <Fact name={t.window}>
        <WindowPill expiresAt={c.window_expires_at} plain />
      </Fact>
      <Fact name={t.assignee}>{c.assignee?.name ?? t.nobody}</Fact>
      <Fact name={t.firstSeen}>
        <Time value={c.created_at} />
      </Fact>
      {c.waiting_since && (
        <Fact name={t.waitingSince}>
          <Time value={c.waiting_since} relative />
        </Fact>
      )}
    </dl>
  );
}

function Ids({ conversation: c }: { conversation: Conversation }) {
  const t = useText("inbox");
  return (
    <dl className={styles.facts}>
      <Fact name={t.conversation}>
        <CopyId value={c.id} />
      </Fact>
      <Fact name={t.contact}>
        <CopyId value={c.contact.id} />
      </Fact>
      {c.contact.bsuid && (
        <Fact name="BSUID">
          <CopyId value={c.contact.bsuid} />
        </Fact>
      )}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
