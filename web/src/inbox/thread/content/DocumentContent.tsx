import type { Message } from "../../../api/types";
import { useText } from "../../../i18n";
import { Icon } from "../../../ui/icons";
import { Caption } from "./Caption";
import { sizeText, useSource } from "./source";
import { Uploading } from "./Uploading";
import styles from "./Media.module.css";

export function DocumentContent({ message: m, number }: { message: Message; number: string }) {
  const t = useText("inbox");
  const { url, progress } = useSource(m, number);
  const name = m.document?.filename ?? m.media?.filename ?? t.type.document;
  const kind = name.includes(".") ? name.split(".").pop()?.toUpperCase() : null;
  return (
    <>
      <a className={styles.file} href={url} download={name} target="_blank" rel="noopener">
        <span className={styles.fileIcon}>
          <Icon name="file" size={22} />
        </span>
        <span className={styles.fileText}>
          <b>{name}</b>
          <small>{[kind, sizeText(m.media?.size)].filter(Boolean).join(" · ")}</small>
        </span>
        <Icon name="download" size={18} />
      </a>
      <Uploading message={m.id} progress={progress} />
      <Caption text={m.document?.caption} />
    </>
  );
}
