import { Icon, type IconName } from "../ui/icons";
import { kindOfType, type LibraryFile, type MediaKind } from "./data";
import styles from "./Media.module.css";

const icons: Record<MediaKind, IconName> = { image: "image", video: "play", audio: "mic", document: "file" };

/** A small picture of a file, or a sign for what it is. The name stands beside it. */
export function Thumbnail({ file }: { file: LibraryFile }) {
  const kind = kindOfType(file.mime_type);
  if (kind === "image") return <img className={styles.shown} src={file.path} alt="" loading="lazy" />;
  if (kind === "video") return <video className={styles.shown} src={`${file.path}#t=0.1`} muted playsInline preload="metadata" tabIndex={-1} />;
  return (
    <span className={styles.sign}>
      <Icon name={icons[kind]} size={32} />
      <small>{ending(file)}</small>
    </span>
  );
}

/** How the name ends, or the second half of the type. */
const ending = (file: LibraryFile) => (/\.(\w{1,5})$/u.exec(file.filename ?? "")?.[1] ?? file.mime_type.split("/")[1]?.split(/[;.]/u)[0] ?? "").toUpperCase();

/** The file itself: looked at, played or opened. */
export function FileView({ file, name }: { file: LibraryFile; name: string }) {
  switch (kindOfType(file.mime_type)) {
    case "image":
      return <img className={styles.large} src={file.path} alt={name} />;
    case "video":
      // The library's films have no captions.
      // eslint-disable-next-line jsx-a11y/media-has-caption
      return <video className={styles.large} src={file.path} controls aria-label={name} />;
    case "audio":
      // eslint-disable-next-line jsx-a11y/media-has-caption
      return <audio className={styles.sound} src={file.path} controls aria-label={name} />;
    default:
      return (
        <div className={styles.document}>
          <Thumbnail file={file} />
        </div>
      );
  }
}
