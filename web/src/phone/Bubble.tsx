import { Popover } from "@mantine/core";
import { useState } from "react";
import { useLanguage, useText } from "../i18n";
import { Icon } from "../ui/icons";
import { clock } from "../ui/times";
import { Buttons } from "./Buttons";
import { Content, useKindOf } from "./Content";
import type { PhoneMessage, Writing } from "./data";
import styles from "./Phone.module.css";

interface Props {
  message: PhoneMessage;
  business: string;
  showTime: boolean;
  active: boolean;
  write: (writing: Writing) => void;
  quote: (message: PhoneMessage) => void;
}

const emojis = ["👍", "❤️", "😂", "😮", "🙏", "🎉"];

/** One message with its quote, its buttons, the reactions on it and what can be done with it. */
export function Bubble({ message, business, showTime, active, write, quote }: Props) {
  const t = useText("phone");
  const language = useLanguage();
  const mine = message.from === "me";
  return (
    <div className={styles.row} data-from={message.from} data-message={message.id}>
      <div className={styles.line}>
        <div className={styles.bubble}>
          <span className="visually-hidden">{mine ? t.me : t.them(business)}: </span>
          {message.quoted && <Quoted quoted={message.quoted} business={business} />}
          <Content message={message} />
          <Buttons message={message} active={active} write={write} />
          {message.reactions.length > 0 && (
            <span className={styles.reactions}>{message.reactions.map((r) => r.emoji).join(" ")}</span>
          )}
        </div>
        {active && <Tools message={message} write={write} quote={quote} />}
      </div>
      {showTime && (
        <div className={styles.meta}>
          <time dateTime={message.created_at}>{clock(message.created_at, language)}</time>
          {message.ticks && (
            <span className={styles.ticks} data-read={message.ticks === "read"}>
              <Icon name="checks" size={16} />
              <span className="visually-hidden">{t[message.ticks]}</span>
            </span>
          )}
        </div>
      )}
    </div>
  );
}

function Quoted({ quoted, business }: { quoted: NonNullable<PhoneMessage["quoted"]>; business: string }) {
  const t = useText("phone");
  const kindOf = useKindOf();
  return (
    <blockquote className={styles.quote}>
      <b>{quoted.from === "me" ? t.me : business}</b>
      <span>{quoted.text || kindOf(quoted.type)}</span>
    </blockquote>
  );
}

function Tools({ message, write, quote }: Pick<Props, "message" | "write" | "quote">) {
  const t = useText("phone");
  const [open, setOpen] = useState(false);
  const own = message.reactions.find((r) => r.from === "me");
  const react = (emoji: string) => {
    setOpen(false);
    write({ type: "reaction", message_id: message.id, emoji });
  };
  return (
    <div className={styles.tools} data-open={open}>
      <Popover opened={open} onChange={setOpen} position="top" withArrow trapFocus returnFocus shadow="md">
        <Popover.Target>
          <button type="button" className={styles.tool} aria-label={t.react} aria-expanded={open} onClick={() => setOpen(!open)}>
            <Icon name="smile" size={18} />
          </button>
        </Popover.Target>
        <Popover.Dropdown p={4}>
          <div className={styles.emojis}>
            {emojis.map((emoji) => (
              <button key={emoji} type="button" aria-label={t.reactWith(emoji)} onClick={() => react(emoji)}>
                {emoji}
              </button>
            ))}
            {own && (
              <button type="button" aria-label={t.unreact} onClick={() => react("")}>
                <Icon name="close" size={18} />
              </button>
            )}
          </div>
        </Popover.Dropdown>
      </Popover>
      <button type="button" className={styles.tool} aria-label={t.quote} onClick={() => quote(message)}>
        <Icon name="reply" size={18} />
      </button>
    </div>
  );
}
