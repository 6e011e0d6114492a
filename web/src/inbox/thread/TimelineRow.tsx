import { memo } from "react";
import type { ThreadRef } from "../../api/types";
import { useLanguage, useText } from "../../i18n";
import { dayName, useNow } from "../../ui/times";
import type { Row } from "./arrange";
import { HappeningRow } from "./HappeningRow";
import { MessageRow } from "./MessageRow";
import { NoteRow } from "./NoteRow";
import styles from "./TimelineRow.module.css";

export const TimelineRow = memo(function TimelineRow({ row, conversation }: { row: Row; conversation: ThreadRef }) {
  const t = useText("inbox");
  switch (row.kind) {
    case "day":
      return <Day at={row.at} />;
    case "new":
      return (
        <div className={styles.new} data-key={row.key}>
          {t.new}
        </div>
      );
    case "happening":
      return <HappeningRow row={row} />;
    case "note":
      return <NoteRow row={row} conversation={conversation} />;
    case "message":
      return <MessageRow row={row} conversation={conversation} />;
  }
});

/** The heading of a day, which is called today until midnight only. */
function Day({ at }: { at: string }) {
  return <div className={styles.day}>{dayName(at, useLanguage(), useNow())}</div>;
}
