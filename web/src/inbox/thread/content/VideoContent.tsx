import type { Message } from "../../../api/types";
import { Caption } from "./Caption";
import { useSource } from "./source";
import { Uploading } from "./Uploading";
import styles from "./Media.module.css";

export function VideoContent({ message: m, number }: { message: Message; number: string }) {
  const { url, progress } = useSource(m, number);
  return (
    <>
      {/* What people send has no captions. */}
      {/* eslint-disable-next-line jsx-a11y/media-has-caption */}
      <video className={styles.video} src={url} controls preload="metadata" />
      <Uploading message={m.id} progress={progress} />
      <Caption text={m.video?.caption} />
    </>
  );
}
