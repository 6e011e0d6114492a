import type { Conversation } from "../../api/types";
import { useLanguage, useText } from "../../i18n";
import { useNow } from "../../ui/times";
import { isUntilReply } from "../data/change";
import { useUnsent } from "../data/sending";
import { wakingTime } from "../thread/snooze";
import { plainText } from "../text/format";
import { Ticks } from "../thread/Ticks";
import { LabelDots } from "./LabelDots";
import { TypeIcon } from "./TypeIcon";
import styles from "./RowPreview.module.css";

/** The second line of a row: what was not sent, a snooze, a draft, a failure, or the last message. */
export function RowPreview({ conversation: c }: { conversation: Conversation }) {
  const t = useText("inbox");
  const unsent = useUnsent(c.id);
  return (
    <span className={styles.preview}>
      {unsent && <em className={styles.failed}>{t.notSentMark}</em>}
      <LabelDots labels={[...c.labels, ...c.contact_labels]} />
      {c.snoozed_until ? <Snoozed until={c.snoozed_until} /> : <LastMessage conversation={c} />}
    </span>
  );
}

function Snoozed({ until }: { until: string }) {
  const t = useText("inbox");
  const language = useLanguage();
  const now = useNow();
  return <span>{isUntilReply(until) ? t.snoozedUntilReply : t.snoozedUntil(wakingTime(until, language, now))}</span>;
}

function LastMessage({ conversation: { last_message: last, draft } }: { conversation: Conversation }) {
  const t = useText("inbox");
  if (!last) return draft ? <em className={styles.draft}>{t.draft}</em> : <span>{t.noMessages}</span>;
  const outbound = last.direction === "outbound";
  return (
    <>
      {draft && <em className={styles.draft}>{t.draftMark}</em>}
      {outbound && last.status === "failed" && <em className={styles.failed}>{t.notDelivered}</em>}
      {outbound && last.status !== "failed" && <Ticks status={last.status} />}
      <TypeIcon type={last.type} />
      <span dir="auto">{plainText(last.preview) || t.type[last.type]}</span>
    </>
  );
}
