import { Progress } from "@mantine/core";
import { IconButton } from "../ui/IconButton";
import styles from "./Media.module.css";
import { useMediaText } from "./text";
import type { Upload } from "./uploads";

/** What is on its way, and what did not arrive and why. */
export function UploadList({ uploads, dismiss }: { uploads: Upload[]; dismiss: (key: string) => void }) {
  const t = useMediaText();
  if (uploads.length === 0) return null;
  return (
    <ul className={styles.uploads} aria-label={t.uploads}>
      {uploads.map((u) => (
        <li key={u.key} data-failed={u.error ? true : undefined}>
          <span className={styles.cut}>{u.name}</span>
          {u.error ? (
            <span className={styles.error} role="alert">{u.error}</span>
          ) : (
            <Progress.Root size={6} className={styles.progress}>
              <Progress.Section value={u.progress * 100} aria-label={t.uploading(u.name)} />
            </Progress.Root>
          )}
          {u.error && (
            <IconButton
              icon="close"
              label={t.dismiss(u.name)}
              iconSize={14}
              size={24}
              onClick={() => dismiss(u.key)}
            />
          )}
        </li>
      ))}
    </ul>
  );
}
