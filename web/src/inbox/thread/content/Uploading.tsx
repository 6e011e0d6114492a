import { Progress } from "@mantine/core";
import { useText } from "../../../i18n";
import { discardKey } from "../../data/discard";
import styles from "./Uploading.module.css";

/** How much of a file has arrived. Until all of it has, its message can be taken back. */
export function Uploading({ message, progress }: { message: string; progress: number | null }) {
  const t = useText("inbox");
  const common = useText("common");
  if (progress === null) return null;
  return (
    <div className={styles.uploading}>
      <Progress value={progress * 100} size="xs" className={styles.bar} aria-label={t.uploading} />
      {progress < 1 && (
        <button type="button" className={styles.cancel} onClick={() => discardKey(message)}>
          {common.cancel}
        </button>
      )}
    </div>
  );
}
