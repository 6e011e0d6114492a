import { useText } from "../i18n";
import { FormattedText } from "../inbox/text/FormattedText";
import { Icon } from "../ui/icons";
import { fileAddress, type PhoneFile, type PhoneMessage, type Place } from "./data";
import styles from "./Phone.module.css";

/** What kind of message it is, in words, for what has no text of its own. */
export function useKindOf() {
  const t = useText("phone");
  return (type: string, voice = false) => t.kinds[voice ? "voice" : type] ?? t.kinds.unsupported!;
}

function Attached({ file, type }: { file: PhoneFile; type: string }) {
  const t = useText("phone");
  const kindOf = useKindOf();
  const kind = kindOf(type, file.voice);
  if (!file.id || file.mime_type === "") {
    return (
      <span className={styles.linked} title={t.linked}>
        <Icon name="link" size={16} /> {file.filename || file.link || kind}
      </span>
    );
  }
  const source = fileAddress(file.id);
  if (file.mime_type.startsWith("image/")) {
    return (
      <a href={source} target="_blank" rel="noreferrer" className={styles.picture}>
        <img src={source} alt={kind} loading="lazy" />
      </a>
    );
  }
  if (file.mime_type.startsWith("audio/")) {
    // eslint-disable-next-line jsx-a11y/media-has-caption -- nobody has written down what strangers say
    return <audio controls preload="metadata" src={source} aria-label={kind} className={styles.audio} />;
  }
  if (file.mime_type.startsWith("video/")) {
    // eslint-disable-next-line jsx-a11y/media-has-caption -- likewise
    return <video controls preload="metadata" src={source} aria-label={kind} className={styles.video} />;
  }
  const name = file.filename || kind;
  return (
    <a href={source} download={name} className={styles.document} title={t.download(name)}>
      <Icon name="file" />
      <span>
        <b>{name}</b>
        <small>{Math.max(1, Math.round(file.size / 1024))} kB</small>
      </span>
    </a>
  );
}

function Spot({ place }: { place: Place }) {
  return (
    <span className={styles.place}>
      <Icon name="pin" size={22} />
      <span>
        <b>{place.name || `${place.latitude.toFixed(4)}, ${place.longitude.toFixed(4)}`}</b>
        <small>{place.address || (place.name && `${place.latitude.toFixed(4)}, ${place.longitude.toFixed(4)}`)}</small>
      </span>
    </span>
  );
}

/** What a message says, without its frame. */
export function Content({ message }: { message: PhoneMessage }) {
  const kindOf = useKindOf();
  const empty = !message.text && !message.header && !message.file && !message.location && message.contacts.length === 0;
  return (
    <>
      {message.header && <b className={styles.heading}>{message.header}</b>}
      {message.file && <Attached file={message.file} type={message.type} />}
      {message.location && <Spot place={message.location} />}
      {message.contacts.map((name, i) => (
        <span key={i} className={styles.place}>
          <Icon name="person" /> <b>{name}</b>
        </span>
      ))}
      {message.text && <FormattedText text={message.text} />}
      {message.footer && <small className={styles.footer}>{message.footer}</small>}
      {empty && <i className={styles.text}>{kindOf(message.type)}</i>}
    </>
  );
}
