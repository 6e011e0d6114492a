import { TemplateContent } from "../inbox/thread/content/TemplateContent";
import type { Preview } from "../inbox/thread/content/shapes";
import styles from "./Broadcasts.module.css";

/** A message as its recipient sees it. */
export function PhonePreview({ preview, label }: { preview: Preview; label: string }) {
  return (
    <div className={styles.screen} role="group" aria-label={label}>
      <div className={styles.bubble}>
        <TemplateContent preview={preview} />
      </div>
    </div>
  );
}
