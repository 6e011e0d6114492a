import type { Message } from "../../../api/types";
import { useText } from "../../../i18n";
import { Icon } from "../../../ui/icons";
import styles from "./Card.module.css";

/** A place. No map is fetched from anywhere: the link opens one. */
export function LocationContent({ location }: { location: Message["location"] }) {
  const t = useText("inbox");
  if (!location) return null;
  const { latitude, longitude, name, address } = location;
  const href = `https://www.openstreetmap.org/?mlat=${Number(latitude)}&mlon=${Number(longitude)}#map=16/${Number(latitude)}/${Number(longitude)}`;
  return (
    <a className={styles.place} href={href} target="_blank" rel="noopener noreferrer">
      <span className={styles.map}>
        <Icon name="pin" size={30} />
      </span>
      <b>{name ?? t.type.location}</b>
      {address && <small>{address}</small>}
      <small className="mono">
        {Number(latitude).toFixed(5)}, {Number(longitude).toFixed(5)}
      </small>
    </a>
  );
}
