import { Button } from "@mantine/core";
import { ApiError } from "../api/client";
import { text, useText } from "../i18n";
import { Icon } from "./icons";
import styles from "./states.module.css";

/** What an error says to people, for toasts and forms. */
export function messageOf(error: unknown): string {
  if (error instanceof ApiError && error.code === "offline") return text("common").offlineError;
  return error instanceof Error ? error.message : String(error);
}

/** What went wrong, what to tell support, and a way on. */
export function ErrorState({ error, retry }: { error: unknown; retry?: () => void }) {
  const t = useText("common");
  return (
    <div className={styles.state} role="alert">
      <span className={styles.icon} data-kind="error">
        <Icon name="warning" size={22} />
      </span>
      <h2>{t.errorTitle}</h2>
      <p>{messageOf(error)}</p>
      {error instanceof ApiError && (
        <div className={`mono ${styles.codes}`}>
          {t.errorCode} {error.code}
          {error.requestId && ` · ${t.errorRequest} ${error.requestId}`}
        </div>
      )}
      {retry && (
        <Button className={styles.action} variant="default" onClick={retry}>
          {t.retry}
        </Button>
      )}
    </div>
  );
}
