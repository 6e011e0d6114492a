import type { Message, ThreadRef } from "../../api/types";
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

/** What a bubble is around its content: nothing around a sticker, no margin around what fills it to the edge. */
function shapeOf(m: Message): "bare" | "none" | undefined {
  if (m.type === "template" && m.preview) return "bare";
  const alone = !m.quoted && !m.referral && !m.context?.forwarded && !m.image?.caption && !m.is_revoked;
  return alone && m.media?.mime_type === "image/webp" ? "none" : undefined;
}

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
        <div className={styles.bubble} data-shape={shapeOf(m)}>
          {m.referral && <Referral referral={m.referral} />}
          {forwarded && <small className={styles.forwarded}>{t.forwarded}</small>}
          {m.quoted && <Quote quoted={m.quoted} />}
          {m.is_revoked ? (
            <em className={styles.gone}>{t.deletedMessage}</em>
          ) : (
            <MessageContent message={m} conversation={conversation} />
          )}
          {m.edited_at && !row.last && <small className={styles.edited}>{t.edited}</small>}
        </div>
        <MessageActions message={m} conversation={conversation} />
      </div>
      <Reactions message={m} />
      <MessageFailure message={m} conversation={conversation} />
      {row.last && <MessageMeta message={m} />}
    </div>
  );
}
