import type { Conversation } from "../../api/types";
import { useText } from "../../i18n";
import { Avatar } from "../../ui/Avatar";
import { useNow } from "../../ui/times";
import { windowState } from "../window";
import { countText } from "../../shell/useUnread";
import styles from "./RowState.module.css";

/** The corner of a row: what is unread, else the window where it needs attention; and whose it is. */
export function RowState({ conversation: c, showAssignee }: { conversation: Conversation; showAssignee: boolean }) {
  const t = useText("inbox");
  const now = useNow();
  const window = windowState(c.window_expires_at, now.getTime());
  return (
    <span className={styles.state}>
      {c.unread_count > 0 ? (
        <span className={styles.badge}>
          {countText(c.unread_count)}
          <span className="visually-hidden"> {t.unread}</span>
        </span>
      ) : (
        <>
          {window.kind === "soon" && <span className={styles.soon}>{t.windowShort(window.hours, window.minutes)}</span>}
          {window.kind === "closed" && c.status !== "resolved" && <span>{t.windowClosedShort}</span>}
        </>
      )}
      {showAssignee && c.assignee && (
        <span title={c.assignee.name}>
          <Avatar name={c.assignee.name} size={20} />
          <span className="visually-hidden">{t.assignedTo(c.assignee.name)}</span>
        </span>
      )}
    </span>
  );
}
