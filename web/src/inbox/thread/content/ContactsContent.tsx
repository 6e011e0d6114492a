import { Avatar } from "../../../ui/Avatar";
import { useText } from "../../../i18n";
import type { ContactCard } from "./shapes";
import styles from "./Card.module.css";

/** People's cards. */
export function ContactsContent({ contacts }: { contacts: ContactCard[] }) {
  const t = useText("inbox");
  return contacts.map((card, i) => {
    const name = card.name?.formatted_name ?? t.type.contacts;
    return (
      <div key={i} className={styles.contact}>
        <Avatar name={name} id={name} size={36} />
        <div>
          <b>{name}</b>
          {card.org?.company && <small>{card.org.company}</small>}
          {card.phones?.map(
            ({ phone }) =>
              phone && (
                <a key={phone} href={`tel:${phone.replace(/[^\d+]/gu, "")}`}>
                  {phone}
                </a>
              ),
          )}
          {card.emails?.map(
            ({ email }) =>
              email && (
                <a key={email} href={`mailto:${encodeURIComponent(email)}`}>
                  {email}
                </a>
              ),
          )}
        </div>
      </div>
    );
  });
}
