import { memo } from "react";
import type { ThreadRef } from "../../api/types";
import { useLanguage, useText } from "../../i18n";
import { dayName } from "../../ui/times";
import type { Row } from "./arrange";
import { HappeningRow } from "./HappeningRow";
import { MessageRow } from "./MessageRow";
import { NoteRow } from "./NoteRow";
import styles from "./TimelineRow.module.css";

export const TimelineRow = memo(function TimelineRow({ row, conversation }: { row: Row; conversation: ThreadRef }) {
  const t = useText("inbox");
  const language = useLanguage();
  switch (row.kind) {
    case "day":
      return <div className={styles.day}>{dayName(row.at, language)}</div>;
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
