import { Icon, type IconName } from "../../../ui/icons";
import { safeLink } from "../../text/format";
import type { Header } from "./shapes";
import styles from "./TemplateContent.module.css";

const icons: Record<string, IconName> = { IMAGE: "image", VIDEO: "play", DOCUMENT: "file", LOCATION: "pin" };

/** A text, or a sign for the file or place above it. */
export function PreviewHeader({ header: h }: { header: Header }) {
  const icon = icons[h.format ?? ""];
  if (!icon) return <div className={styles.header}>{h.text}</div>;
  if (h.src && h.format === "IMAGE") return <img className={styles.picture} src={h.src} alt="" />;
  if (h.src && h.format === "VIDEO") return <video className={styles.picture} src={h.src} muted playsInline preload="metadata" />;
  const href = safeLink(h.link);
  const box = (
    <>
      <Icon name={icon} size={28} />
      {h.text && <span>{h.text}</span>}
    </>
  );
  if (!href) return <div className={styles.media}>{box}</div>;
  return (
    <a className={styles.media} href={href} target="_blank" rel="noopener noreferrer">
      {box}
    </a>
  );
}
