import { ApiError } from "../api/client";
import { messageOf } from "./messages";
import styles from "./FormError.module.css";

/** An error that belongs to no field of the form. */
export function FormError({ error, text }: { error: unknown; text?: string }) {
  if (!error) return null;
  return (
    <div className={styles.error} role="alert" tabIndex={-1}>
      {text ?? messageOf(error)}
      {!text && error instanceof ApiError && error.requestId && (
        <span className="mono">
          {error.code} · {error.requestId}
        </span>
      )}
    </div>
  );
}
