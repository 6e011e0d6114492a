import { Button } from "@mantine/core";
import { ApiError } from "../api/client";
import { useText } from "../i18n";
import { Icon } from "./icons";
import { messageOf } from "./messages";
import styles from "./states.module.css";

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
