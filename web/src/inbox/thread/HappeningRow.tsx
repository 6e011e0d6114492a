import { useText, useLanguage } from "../../i18n";
import { comingTime } from "../../ui/times";
import { Time } from "../../ui/Time";
import { isUntilReply } from "../data/change";
import type { Row } from "./arrange";
import styles from "./HappeningRow.module.css";

/** What somebody did with the conversation. Where it ended and began again, a line goes through. */
export function HappeningRow({ row }: { row: Extract<Row, { kind: "happening" }> }) {
  return (
    <div className={styles.happening} data-key={row.key} data-divides={row.divides || undefined}>
      <span>
        <Words happening={row.happening} /> · <Time value={row.at} ofDay />
      </span>
    </div>
  );
}

export function Words({ happening: h }: { happening: Extract<Row, { kind: "happening" }>["happening"] }) {
  const t = useText("inbox");
  const language = useLanguage();
  const by = h.by?.name ?? null;
  if (h.why === "round_robin") return t.happened.turn(h.to?.name ?? "");
  if (h.why) return t.happened.queued(h.why, h.to?.name ?? "");
  switch (h.what) {
    case "assigned":
      return t.happened.assigned(by, h.to?.name ?? "", h.by !== null && h.by.id === h.to?.id);
    case "labelled":
    case "unlabelled":
      return t.happened[h.what](by, h.label?.name ?? "");
    case "snoozed":
      return t.happened.snoozed(by, h.until && !isUntilReply(h.until) ? comingTime(h.until, language) : null);
    default:
      return t.happened[h.what](by);
  }
}
