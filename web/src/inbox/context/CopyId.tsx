import { text, useText } from "../../i18n";
import { toast, toastError } from "../../ui/toasts";
import styles from "./CopyId.module.css";

/** An id or number that a click copies. */
export function CopyId({ value, shown = value }: { value: string; shown?: string }) {
  const t = useText("inbox");
  const copy = () => void navigator.clipboard.writeText(value).then(() => toast(text("common").copied), toastError);
  return (
    <button type="button" className={`mono ${styles.id}`} title={t.copyValue(value)} onClick={copy}>
      {shown}
    </button>
  );
}
