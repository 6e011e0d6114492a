import { useState } from "react";
import { ApiError } from "../../api/client";
import { useMe } from "../../api/queries";
import type { ThreadRef, Message } from "../../api/types";
import { useText, type Dictionary } from "../../i18n";
import { Icon } from "../../ui/icons";
import { messageOf } from "../../ui/messages";
import { editAgain, writingOf } from "../composer/editAgain";
import { discardKey } from "../data/discard";
import { isStuck, type Outgoing } from "../data/outbox";
import { outbox, useOutbox } from "../data/sending";
import { resend } from "../data/resend";
import { useNewestNow } from "../data/timeline";
import { failureOf } from "./failure";
import { openPart } from "./openers";
import styles from "./MessageFailure.module.css";

/** Attached below a bubble: why it did not arrive, what helps, and another try where that makes sense. */
export function MessageFailure({ message: m, conversation }: { message: Message; conversation: ThreadRef }) {
  const unsent = useOutbox().find((e) => e.key === m.id && isStuck(e));
  if (unsent) return <Unsent entry={unsent} />;
  if (m.status !== "failed" || !m.error) return null;
  return <Refused message={m} error={m.error} conversation={conversation} />;
}

/** It has not reached the server, or waits until its writer has seen what a colleague has replied meanwhile. */
export function Unsent({ entry }: { entry: Outgoing }) {
  const t = useText("inbox");
  const newestNow = useNewestNow(entry.conversation);
  const common = useText("common");
  const me = useMe().user.id;
  const { key, reply, error } = entry;
  return (
    <Notice words={reply ? t.notSentReplied(reply.sent_by?.name ?? t.source.app) : reasonOf(error, t)} asks={!!reply}>
      {error?.code !== "invalid_field_value" && (
        <button type="button" onClick={() => outbox.retry(key, newestNow().items[0]?.id)}>
          {reply ? t.sendAnyway : t.tryAgain}
        </button>
      )}
      {writingOf(entry) && (
        <button type="button" onClick={() => editAgain(entry, me, newestNow().items)}>
          {common.edit}
        </button>
      )}
      <button type="button" onClick={() => discardKey(key)}>
        {t.discard}
      </button>
    </Notice>
  );
}

function reasonOf(error: Outgoing["error"], t: Dictionary["inbox"]): string {
  const { code = "", message = "" } = error ?? {};
  if (code === "offline") return t.notSentOffline;
  if (["late", "timeout", "unanswered"].includes(code)) return t.notSentLate;
  return t.notSent(messageOf(new ApiError(0, code, message)));
}

interface RefusedProps {
  message: Message;
  error: NonNullable<Message["error"]>;
  conversation: ThreadRef;
}

function Refused({ message: m, error, conversation }: RefusedProps) {
  const t = useText("inbox");
  const newestNow = useNewestNow(conversation.id);
  const [again, setAgain] = useState(false);
  const { kind, retry, template } = failureOf(error);
  const { reason, remedy } = t.failure[kind];
  return (
    <Notice
      words={`${reason} ${remedy}`}
      title={`${error.message}${error.provider_code ? ` (${error.provider_code})` : ""}`}
    >
      {retry && !again && m.type !== "reaction" && (
        <button
          type="button"
          onClick={() => {
            setAgain(true); // a second press would send it twice
            resend(m, conversation, newestNow().items[0]?.id);
          }}
        >
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

interface NoticeProps {
  words: string;
  title?: string;
  /** Nothing is wrong, but somebody has to choose. */
  asks?: boolean;
  children: React.ReactNode;
}

function Notice({ words, title, asks, children }: NoticeProps) {
  return (
    <div className={styles.failure} role="group" title={title} data-asks={asks || undefined}>
      <Icon name="warning" size={16} />
      <span>{words}</span>
      {children}
    </div>
  );
}
