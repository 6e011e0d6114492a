import type { Message } from "../../api/types";
import { useLanguage, useText } from "../../i18n";
import { clock, longTime } from "../../ui/times";
import { Ticks } from "./Ticks";
import styles from "./MessageMeta.module.css";

/** Below a group: who, when, and how far it has come. */
export function MessageMeta({ message: m }: { message: Message }) {
  const t = useText("inbox");
  const language = useLanguage();
  const outbound = m.direction === "outbound";
  const who = outbound ? (m.sent_by?.name ?? (m.source && t.source[m.source])) : null;
  const template = m.type === "template" && typeof m.template?.name === "string" ? m.template.name : null;
  return (
    <div className={styles.meta}>
      {[who, template, m.edited_at && t.edited].filter(Boolean).map((word) => (
        <span key={word}>{word} ·</span>
      ))}
      <time dateTime={m.created_at} title={longTime(m.created_at, language)}>
        {clock(m.created_at, language)}
      </time>
      {outbound && <Ticks status={m.status} />}
    </div>
  );
}
