import { useState } from "react";
import type { Message } from "../../../api/types";
import { useText } from "../../../i18n";
import { Icon } from "../../../ui/icons";
import { Caption } from "./Caption";
import { useSource } from "./source";
import { Uploading } from "./Uploading";
import styles from "./Media.module.css";

/** A picture, or a sticker, which is a picture without a frame. Its box has its size before it is loaded. */
export function ImageContent({ message: m, number }: { message: Message; number: string }) {
  const t = useText("inbox");
  const { url, progress } = useSource(m, number);
  const [broken, setBroken] = useState(false);
  const sticker = (m.media?.mime_type ?? m.image?.mime_type) === "image/webp";
  const name = m.image?.caption || (sticker ? t.sticker : t.type.image);
  return (
    <>
      {broken ? (
        <div className={styles.missing}>
          <Icon name="image" size={28} />
          {t.mediaGone}
        </div>
      ) : (
        <a href={url} target="_blank" rel="noopener" className={sticker ? styles.sticker : styles.picture}>
          <img src={url} alt={name} loading="lazy" decoding="async" onError={() => setBroken(true)} />
        </a>
      )}
      <Uploading message={m.id} progress={progress} />
      <Caption text={m.image?.caption} />
    </>
  );
}
