import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Conversation } from "../../api/types";
import { contactQuery } from "../../contacts/data";
import { useLanguage, useText } from "../../i18n";
import { Avatar } from "../../ui/Avatar";
import { IconButton } from "../../ui/IconButton";
import { Time } from "../../ui/Time";
import { duration, longTime, useNow } from "../../ui/times";
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
          <Link to="/contacts/$id" params={{ id: c.contact.id }} className={styles.name} title={t.openContact}>
            {nameOf(c)}
          </Link>
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
      <PersonNotes contact={c.contact.id} />
    </div>
  );
}

/** How long ago something was: 1 h 20 min. */
function Elapsed({ since }: { since: string }) {
  const language = useLanguage();
  const seconds = (useNow().getTime() - Date.parse(since)) / 1000;
  return (
    <time dateTime={since} title={longTime(since, language)}>
      {duration(Math.max(0, seconds), language)}
    </time>
  );
}

function Details({ conversation: c }: { conversation: Conversation }) {
  const t = useText("inbox");
  const contacts = useText("contacts");
  const person = useQuery(contactQuery(c.contact.id)).data?.contact;
  return (
    <dl className={styles.facts}>
      {c.contact.username && <Fact name={t.username}>@{c.contact.username}</Fact>}
      <Fact name={t.number}>{numberName(c.number)}</Fact>
      <Fact name={t.window}>
        <WindowPill expiresAt={c.window_expires_at} plain />
      </Fact>
      <Fact name={t.assignee}>{c.assignee?.name ?? t.nobody}</Fact>
      <Fact name={t.firstSeen}>
        <Time value={c.created_at} fact />
      </Fact>
      {c.waiting_since && (
        <Fact name={t.waitingSince}>
          <Elapsed since={c.waiting_since} />
        </Fact>
      )}
      <Fact name={t.marketing}>{person && contacts.consents[person.marketing_consent]}</Fact>
      {person?.email && <Fact name={contacts.email}>{person.email}</Fact>}
    </dl>
  );
}

/** What colleagues have noted of the person, not of this conversation. */
function PersonNotes({ contact }: { contact: string }) {
  const t = useText("inbox");
  const notes = useQuery(contactQuery(contact)).data?.notes ?? [];
  if (notes.length === 0) return null;
  return (
    <>
      <h3>{t.personNotes}</h3>
      <ul className={styles.notes}>
        {notes.map((note) => (
          <li key={note.id}>
            {note.body}
            <small>
              {note.author.name} · <Time value={note.created_at} />
            </small>
          </li>
        ))}
      </ul>
    </>
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
