import { TemplateContent } from "../../inbox/thread/content/TemplateContent";
import { useTemplateText } from "../text";
import type { Form } from "./form";
import styles from "./Builder.module.css";
import { previewOfForm } from "./preview";

/** A template as it will be on the phone, filled with its samples. */
export function PhonePreview({ form, label }: { form: Form; label: string }) {
  const t = useTemplateText();
  const preview = previewOfForm(form, t.authTexts);
  const empty = !preview.header && !preview.body && !preview.footer && !preview.buttons?.length && !preview.cards?.length;
  if (empty) {
    return (
      <div className={styles.phone}>
        <p className={styles.nothing}>{t.previewNone}</p>
      </div>
    );
  }
  return (
    <div className={styles.phone} role="img" aria-label={label}>
      <div className={styles.bubble}>
        <TemplateContent preview={preview} />
      </div>
    </div>
  );
}
