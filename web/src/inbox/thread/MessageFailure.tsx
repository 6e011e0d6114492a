import type { ThreadRef, Message } from "../../api/types";
import { useText } from "../../i18n";
import { Icon } from "../../ui/icons";
import { outbox, useOutbox } from "../data/sending";
import { resend } from "../data/resend";
import { failureOf } from "./failure";
import { openPart } from "./openers";
import styles from "./MessageFailure.module.css";

/** Attached below a bubble: why it did not arrive, what helps, and another try where that makes sense. */
export function MessageFailure({ message: m, conversation }: { message: Message; conversation: ThreadRef }) {
  const t = useText("inbox");
  const waiting = useOutbox().find((e) => e.key === m.id && e.state === "failed");
  if (waiting) {
    const words = waiting.error?.code === "offline" ? t.notSentOffline : t.notSent(waiting.error?.message ?? "");
    return (
      <Notice words={words}>
        <button type="button" onClick={() => outbox.retry(waiting.key)}>
          {t.tryAgain}
        </button>
        <button type="button" onClick={() => outbox.discard(waiting.key)}>
          {t.discard}
        </button>
      </Notice>
    );
  }
  if (m.status !== "failed" || !m.error) return null;
  const { kind, retry, template } = failureOf(m.error);
  const { reason, remedy } = t.failure[kind];
  return (
    <Notice
      words={`${reason} ${remedy}`}
      title={`${m.error.message}${m.error.provider_code ? ` (${m.error.provider_code})` : ""}`}
    >
      {retry && m.type !== "reaction" && (
        <button type="button" onClick={() => resend(m, conversation)}>
          {t.tryAgain}
        </button>
      )}
      {template && (
        <button type="button" onClick={() => openPart("templates")}>
          {t.useTemplate}
        </button>
      )}
    </Notice>
  );
}

function Notice({ words, title, children }: { words: string; title?: string; children: React.ReactNode }) {
  return (
    <div className={styles.failure} role="group" title={title}>
      <Icon name="warning" size={16} />
      <span>{words}</span>
      {children}
    </div>
  );
}
