import { ActionIcon, Popover } from "@mantine/core";
import { useState } from "react";
import type { ThreadRef, Message } from "../../api/types";
import { useText } from "../../i18n";
import { Icon } from "../../ui/icons";
import { useReact } from "../data/react";
import { answer } from "../composer/answering";
import styles from "./MessageActions.module.css";

const quick = ["👍", "❤️", "😂", "😮", "😢", "🙏"];

/** Beside a bubble while one points at it: answer it, or put an emoji on it. */
export function MessageActions({ message: m, conversation }: { message: Message; conversation: ThreadRef }) {
  const t = useText("inbox");
  const [choosing, setChoosing] = useState(false);
  const react = useReact(conversation);
  if (!m.message_id || m.is_revoked) return null;
  const mine = m.reactions?.find((r) => r.direction === "outbound")?.emoji;
  return (
    <div className={styles.actions} data-open={choosing || undefined}>
      {m.direction === "inbound" && (
        <ActionIcon
          variant="subtle"
          color="gray"
          size={28}
          aria-label={t.replyTo}
          onClick={() => answer(conversation.id, m)}
        >
          <Icon name="reply" size={16} />
        </ActionIcon>
      )}
      <Popover opened={choosing} onChange={setChoosing} position="top" withArrow trapFocus returnFocus>
        <Popover.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={28}
            aria-label={t.react}
            onClick={() => setChoosing(!choosing)}
          >
            <Icon name="smile" size={16} />
          </ActionIcon>
        </Popover.Target>
        <Popover.Dropdown p={4}>
          <div className={styles.emojis}>
            {quick.map((emoji) => (
              <button
                key={emoji}
                type="button"
                aria-pressed={emoji === mine}
                aria-label={t.reactWith(emoji)}
                onClick={() => {
                  setChoosing(false);
                  react(m, emoji === mine ? "" : emoji);
                }}
              >
                {emoji}
              </button>
            ))}
          </div>
        </Popover.Dropdown>
      </Popover>
    </div>
  );
}
