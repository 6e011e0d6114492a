import { Link } from "@tanstack/react-router";
import { memo, type FocusEvent } from "react";
import { useMe } from "../../api/queries";
import type { Conversation } from "../../api/types";
import { useText } from "../../i18n";
import { Avatar } from "../../ui/Avatar";
import { Icon } from "../../ui/icons";
import { Time } from "../../ui/Time";
import { nameOf } from "../data/conversations";
import { inboxPath, usePlace } from "../place";
import { focusedRow } from "./focused";
import { RowPreview } from "./RowPreview";
import { RowState } from "./RowState";
import { toggle, useSelection } from "./selection";
import styles from "./ConversationRow.module.css";

interface Props {
  conversation: Conversation;
  open: boolean;
  /** Whether the Tab key stops here: in one row of the list. */
  stop: boolean;
}

/** A row that still has the focus lost it to another window, and has it again when this one is in front. */
const leave = ({ target }: FocusEvent) => {
  if (target !== document.activeElement) focusedRow.set(undefined);
};

export const ConversationRow = memo(function ConversationRow({ conversation: c, open, stop }: Props) {
  const t = useText("inbox");
  const { view, search } = usePlace();
  const { selected, all } = useSelection();
  const me = useMe();
  const name = nameOf(c);
  const chosen = all || selected.has(c.id);
  return (
    <div
      className={styles.row}
      data-open={open || undefined}
      data-unread={c.unread_count > 0 || undefined}
      data-chosen={chosen || undefined}
      data-choosing={selected.size > 0 || undefined}
      onFocus={() => focusedRow.set(c.id)}
      onBlur={leave}
    >
      <Link
        to={inboxPath}
        params={{ view, conversation: c.id }}
        search={{ ...search, item: undefined }}
        className={styles.link}
        data-row={c.id}
        tabIndex={stop ? 0 : -1}
        aria-current={open ? "true" : undefined}
        activeProps={{}}
        onClick={(event) => {
          if (!event.shiftKey || selected.size === 0) return;
          event.preventDefault();
          toggle(c.id, true);
        }}
      >
        <Avatar name={name} id={c.contact.id} />
        <span className={styles.middle}>
          <span className={styles.name} dir="auto">
            {name}
          </span>
          <RowPreview conversation={c} />
        </span>
        <span className={styles.right}>
          {c.last_message_at && <Time value={c.last_message_at} />}
          <RowState conversation={c} showAssignee={c.assignee !== null && c.assignee.id !== me.user.id} />
        </span>
      </Link>
      <button
        type="button"
        role="checkbox"
        aria-checked={chosen}
        aria-label={t.choose(name)}
        className={styles.choose}
        tabIndex={stop ? 0 : -1}
        onClick={(event) => toggle(c.id, event.shiftKey)}
      >
        {chosen && <Icon name="check" size={16} />}
      </button>
    </div>
  );
});
