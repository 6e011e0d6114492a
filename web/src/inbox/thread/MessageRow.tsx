import type { ThreadRef } from "../../api/types";
import { useText } from "../../i18n";
import type { Row } from "./arrange";
import { MessageActions } from "./MessageActions";
import { MessageContent } from "./content/MessageContent";
import { MessageFailure } from "./MessageFailure";
import { MessageMeta } from "./MessageMeta";
import { Quote } from "./Quote";
import { Reactions } from "./Reactions";
import { Referral } from "./content/Referral";
import styles from "./MessageRow.module.css";

/** Contents that fill their bubble to the edge. */
const bare = new Set(["template"]);

export function MessageRow({
  row,
  conversation,
}: {
  row: Extract<Row, { kind: "message" }>;
  conversation: ThreadRef;
}) {
  const t = useText("inbox");
  const { message: m } = row;
  const side = m.direction === "outbound" ? "out" : "in";
  const forwarded = m.context?.forwarded || m.context?.frequently_forwarded;
  return (
    <div
      className={styles.row}
      data-key={row.key}
      data-side={side}
      data-first={row.first || undefined}
      data-last={row.last || undefined}
    >
      <div className={styles.line}>
        <div className={styles.bubble} data-bare={bare.has(m.type) && m.preview ? true : undefined}>
          {m.referral && <Referral referral={m.referral} />}
          {forwarded && <small className={styles.forwarded}>{t.forwarded}</small>}
          {m.quoted && <Quote quoted={m.quoted} />}
          {m.is_revoked ? (
            <em className={styles.gone}>{t.deletedMessage}</em>
          ) : (
            <MessageContent message={m} conversation={conversation} />
          )}
        </div>
        <MessageActions message={m} conversation={conversation} />
      </div>
      <Reactions message={m} />
      <MessageFailure message={m} conversation={conversation} />
      {row.last && <MessageMeta message={m} />}
    </div>
  );
}
