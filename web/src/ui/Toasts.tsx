import { useEffect, useState } from "react";
import { useText } from "../i18n";
import { Icon } from "./icons";
import { useStore } from "./store";
import { dismiss, toasts, type Toast } from "./toasts";
import styles from "./Toasts.module.css";

/** What waits for an answer stays until somebody who looks elsewhere has seen it. */
function secondsOf({ open, retry, undo, kind }: Toast): number {
  if (open) return 60;
  if (retry) return 20;
  return undo || kind === "error" ? 8 : 4;
}

function Entry({ toast }: { toast: Toast }) {
  const t = useText("common");
  const [held, setHeld] = useState(false);
  const seconds = secondsOf(toast);
  useEffect(() => {
    if (held) return;
    const timer = setTimeout(() => dismiss(toast.id), seconds * 1000);
    return () => clearTimeout(timer);
  }, [toast.id, seconds, held]);
  const act = toast.undo ?? toast.retry ?? toast.open;
  return (
    <li
      className={styles.toast}
      data-kind={toast.kind}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <Icon name={toast.kind === "error" ? "warning" : "check"} size={18} />
      <span className={styles.text}>{toast.text}</span>
      {act && (
        <button
          type="button"
          className={styles.undo}
          onClick={() => {
            dismiss(toast.id);
            act();
          }}
        >
          {toast.undo ? t.undo : toast.retry ? t.retry : t.open}
        </button>
      )}
      <button type="button" className={styles.close} aria-label={t.close} onClick={() => dismiss(toast.id)}>
        <Icon name="close" size={16} />
      </button>
    </li>
  );
}

/** A polite live region: screen readers say what appears in it. */
export function Toasts() {
  return (
    <ul className={styles.toasts} aria-live="polite">
      {useStore(toasts).map((toast) => (
        <Entry key={toast.id} toast={toast} />
      ))}
    </ul>
  );
}
