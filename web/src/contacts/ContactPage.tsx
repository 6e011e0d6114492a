import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { isMissing } from "../api/client";
import { part } from "../api/part";
import { useIsAdmin } from "../api/queries";
import { useText } from "../i18n";
import { Panel, Section } from "../settings/Section";
import { Avatar } from "../ui/Avatar";
import { LinkButton } from "../ui/LinkButton";
import { Loaded } from "../ui/Loaded";
import { Missing } from "../ui/Missing";
import { Time } from "../ui/Time";
import { toastError } from "../ui/toasts";
import { ConfirmDelete } from "./BulkBar";
import { ConsentPanel } from "./ConsentPanel";
import { ContactForm } from "./ContactForm";
import styles from "./ContactPage.module.css";
import { contactQuery, deleteContact, nameOf, type Contact, type ContactDetail } from "./data";
import { MergeDialog } from "./MergeDialog";
import { NotesPanel } from "./NotesPanel";
import { numberName, phoneOf } from "../ui/phone";

const StartByTemplate = lazy(() => part(() => import("./StartByTemplate")));

export default function ContactPage() {
  const t = useText("contacts");
  const { id } = useParams({ from: "/signed-in/contacts/$id" });
  const query = useQuery(contactQuery(id));
  return (
    <div className={styles.scroll}>
      {!isMissing(query.error) && (
        <nav className={styles.back}>
          <Link to="/contacts">{t.back}</Link>
        </nav>
      )}
      <Loaded query={query} missing={<Missing page icon="people" title={t.missing} back={<LinkButton variant="default" to="/contacts">{t.back}</LinkButton>} />}>
        {(detail) => <Detail key={detail.contact.id} detail={detail} />}
      </Loaded>
    </div>
  );
}

function Detail({ detail }: { detail: ContactDetail }) {
  const t = useText("contacts");
  const { contact: c } = detail;
  return (
    <Section title={nameOf(c, t.noName)} hint={numberName(c.number)} action={<Actions contact={c} />}>
      <Panel title={t.details}>
        <div className={styles.who}>
          <Avatar name={nameOf(c, t.noName)} id={c.id} size={48} />
          <Known contact={c} />
        </div>
        <ContactForm contact={c} />
      </Panel>
      <ConsentPanel detail={detail} />
      <History detail={detail} />
      <NotesPanel detail={detail} />
    </Section>
  );
}

/** By what the person is known. */
function Known({ contact: c }: { contact: Contact }) {
  const t = useText("contacts");
  const rows: [string, string | null][] = [[t.phone, phoneOf(c.phone_number)], [t.username, c.username], [t.bsuid, c.bsuid]];
  return (
    <dl className={styles.known}>
      {rows.map(([name, value]) => value && (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="mono">{value}</dd>
        </div>
      ))}
      <div>
        <dt>{t.since}</dt>
        <dd><Time value={c.created_at} fact /></dd>
      </div>
      {Object.entries(c.metadata ?? {}).map(([name, value]) => (
        <div key={`custom ${name}`}>
          <dt>{name}</dt>
          <dd>{typeof value === "string" ? value : JSON.stringify(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function Actions({ contact }: { contact: Contact }) {
  const t = useText("contacts");
  const admin = useIsAdmin();
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<"merge" | "delete" | "write">();
  const close = () => setDialog(undefined);
  const remove = () => void deleteContact(contact).then(() => navigate({ to: "/contacts" }), toastError);
  return (
    <div className={styles.actions}>
      <Button onClick={() => setDialog("write")}>{t.startTemplate}</Button>
      {admin && <Button variant="default" onClick={() => setDialog("merge")}>{t.merge}</Button>}
      {admin && <Button variant="default" c="var(--red)" onClick={() => setDialog("delete")}>{t.removeOne}</Button>}
      {dialog === "merge" && <MergeDialog contact={contact} close={close} />}
      {dialog === "delete" && <ConfirmDelete count={nameOf(contact, t.noName)} close={close} confirm={remove} />}
      {dialog === "write" && <Suspense><StartByTemplate contact={contact} close={close} /></Suspense>}
    </div>
  );
}

/** The conversation with this person, and with the same person by other numbers. */
function History({ detail }: { detail: ContactDetail }) {
  const t = useText("contacts");
  const all = [detail.contact, ...detail.others];
  return (
    <Panel title={t.history} hint={detail.others.length > 0 ? t.others : undefined}>
      <ul className={styles.plain} aria-label={t.history}>
        {all.map((c) => (
          <li key={c.id}>
            <span>{numberName(c.number)}</span>
            <span className={styles.quiet}>{c.last_seen_at ? <Time value={c.last_seen_at} relative /> : t.never}</span>
            {c.conversation_id ? (
              <Link to="/inbox/$view/{-$conversation}" params={{ view: "all", conversation: c.conversation_id }} search={{ status: "any" }}>
                {t.openConversation}
              </Link>
            ) : (
              <span className={styles.quiet}>{t.noConversation}</span>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
