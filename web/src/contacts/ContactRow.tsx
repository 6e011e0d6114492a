import { Checkbox } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useText } from "../i18n";
import { Avatar } from "../ui/Avatar";
import { Dot } from "../ui/Dot";
import { phoneOf } from "../ui/phone";
import { Time } from "../ui/Time";
import styles from "./ContactsPage.module.css";
import { nameOf, type Consent, type Contact } from "./data";

export function ConsentText({ consent }: { consent: Consent }) {
  const t = useText("contacts");
  return (
    <span className={styles.consent} data-consent={consent}>
      {t.consents[consent]}
    </span>
  );
}

export function LabelList({ labels }: { labels: Contact["labels"] }) {
  return (
    <span className={styles.labels}>
      {labels.map((label) => (
        <span key={label.id} className={styles.label}>
          <Dot color={label.color} />
          {label.name}
        </span>
      ))}
    </span>
  );
}

/** One person of the list. */
export function ContactRow(props: { contact: Contact; chosen: boolean; choose: (on: boolean) => void }) {
  const t = useText("contacts");
  const { contact: c } = props;
  const name = nameOf(c, t.noName);
  const address = phoneOf(c.phone_number) ?? c.username ?? "";
  return (
    <div className={styles.row} data-chosen={props.chosen || undefined}>
      <Checkbox aria-label={t.select(name)} checked={props.chosen} onChange={(event) => props.choose(event.target.checked)} />
      <Link to="/contacts/$id" params={{ id: c.id }} className={styles.person}>
        <Avatar name={name} id={c.id} size={32} />
        <span className={styles.cut}>
          <span className={styles.name} dir="auto">
            {name}
          </span>
          {address !== name && <small className={styles.narrow}>{address}</small>}
        </span>
      </Link>
      <span className={`${styles.quiet} ${styles.wide}`}>{address}</span>
      <span className={styles.wide}>
        <LabelList labels={c.labels} />
      </span>
      <ConsentText consent={c.marketing_consent} />
      <span className={`${styles.quiet} ${styles.wide}`}>{c.last_seen_at ? <Time value={c.last_seen_at} relative /> : t.never}</span>
      <span className={`${styles.quiet} ${styles.wide}`}>
        {c.conversation_id ? (
          <Link to="/inbox/$view/{-$conversation}" params={{ view: "all", conversation: c.conversation_id }} search={{ status: "any" }}>
            {t.conversation}
          </Link>
        ) : (
          t.noConversation
        )}
      </span>
    </div>
  );
}
