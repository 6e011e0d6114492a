import { Popover } from "@mantine/core";
import { useEffect, useRef, useState, type RefObject } from "react";
import type { ThreadRef, Message } from "../../api/types";
import { useText } from "../../i18n";
import { Icon } from "../../ui/icons";
import { useReact } from "../data/react";
import { answer } from "../composer/answering";
import styles from "./MessageActions.module.css";

const quick = ["👍", "❤️", "😂", "😮", "😢", "🙏"];

/**
 * Beside a bubble while one points at it: answer it, or put an emoji on it. A thread has hundreds of these, so they
 * are plain buttons, and the emojis are made when somebody asks for them.
 */
export function MessageActions({ message: m, conversation }: { message: Message; conversation: ThreadRef }) {
  const t = useText("inbox");
  const [choosing, setChoosing] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useFocusBack(button, choosing);
  if (!m.message_id || m.is_revoked) return null;
  const smile = (
    <button
      ref={button}
      type="button"
      aria-label={t.react}
      aria-expanded={choosing}
      onClick={() => setChoosing(!choosing)}
    >
      <Icon name="smile" size={16} />
    </button>
  );
  return (
    <div className={styles.actions} data-open={choosing || undefined}>
      {m.direction === "inbound" && (
        <button type="button" aria-label={t.replyTo} onClick={() => answer(conversation.id, m)}>
          <Icon name="reply" size={16} />
        </button>
      )}
      {choosing ? (
        <Popover opened onChange={setChoosing} position="top" withArrow trapFocus>
          <Popover.Target>{smile}</Popover.Target>
          <Popover.Dropdown p={4}>
            <Emojis message={m} conversation={conversation} done={() => setChoosing(false)} />
          </Popover.Dropdown>
        </Popover>
      ) : (
        smile
      )}
    </div>
  );
}

/** Gives the focus back to the button when what it opened is gone, unless somebody has taken it elsewhere. */
function useFocusBack(button: RefObject<HTMLButtonElement | null>, open: boolean): void {
  const opened = useRef(false);
  useEffect(() => {
    if (!open && opened.current && document.activeElement === document.body) button.current?.focus();
    opened.current = open;
  }, [button, open]);
}

function Emojis({ message: m, conversation, done }: { message: Message; conversation: ThreadRef; done: () => void }) {
  const t = useText("inbox");
  const react = useReact(conversation);
  const mine = m.reactions?.find((r) => r.direction === "outbound")?.emoji;
  return (
    <div className={styles.emojis}>
      {quick.map((emoji) => (
        <button
          key={emoji}
          type="button"
          aria-pressed={emoji === mine}
          aria-label={t.reactWith(emoji)}
          onClick={() => {
            done();
            react(m, emoji === mine ? "" : emoji);
          }}
        >
          {emoji}
        </button>
      ))}
    </div>
  );
}
