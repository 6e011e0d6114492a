import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Fragment, useEffect, useLayoutEffect, useRef } from "react";
import type { Handset, KnownNumber } from "../api/types";
import { useLanguage, useText } from "../i18n";
import { EmptyState } from "../ui/EmptyState";
import { ErrorState } from "../ui/ErrorState";
import { Later } from "../ui/Later";
import { numberName } from "../ui/phone";
import { dayName } from "../ui/times";
import { arrange } from "./arrange";
import { Bubble } from "./Bubble";
import { chatQuery, useRead, type PhoneMessage, type Writing } from "./data";
import styles from "./Phone.module.css";

interface Props {
  handset: Handset;
  number: KnownNumber;
  write: (writing: Writing) => void;
  quote: (message: PhoneMessage) => void;
}

/** The chat of a handset with a number. Whoever sees it has read it. */
export function Chat({ handset, number, write, quote }: Props) {
  const t = useText("phone");
  const chat = useQuery(chatQuery(handset.id, number.phone_number_id));
  const messages = chat.data;
  useReading(handset, number, messages);
  const box = useStayAtEnd(messages);
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by keyboard
    <div ref={box} className={styles.chat} role="log" aria-label={t.chat(numberName(number))} tabIndex={0}>
      {messages ? (
        <Lines {...{ handset, number, write, quote, messages }} />
      ) : chat.error ? (
        <ErrorState error={chat.error} retry={() => void chat.refetch()} />
      ) : (
        <Later>
          <div className={styles.skeletons}>
            {[180, 220, 140, 200].map((width, i) => (
              <Skeleton key={i} width={width} height={44} radius={12} ml={i % 2 ? "auto" : 0} />
            ))}
          </div>
        </Later>
      )}
    </div>
  );
}

function Lines({ handset, number, write, quote, messages }: Props & { messages: PhoneMessage[] }) {
  const t = useText("phone");
  const language = useLanguage();
  const active = handset.online && !handset.blocked;
  if (messages.length === 0) {
    return (
      <EmptyState icon="phone" title={t.empty}>
        {t.emptyBody(handset.name)}
      </EmptyState>
    );
  }
  return arrange(messages).map(({ message, newDay, endsGroup }) => (
    <Fragment key={message.id}>
      {newDay && <div className={styles.day}>{dayName(message.created_at, language)}</div>}
      <Bubble {...{ message, active, write, quote }} business={numberName(number)} showTime={endsGroup} />
    </Fragment>
  ));
}

/** Tells that the chat was read, while somebody looks at it. */
function useReading(handset: Handset, number: KnownNumber, messages: PhoneMessage[] | undefined) {
  const { mutate } = useRead(handset.id, number.phone_number_id);
  const newest = messages?.findLast((message) => message.unread)?.id;
  useEffect(() => {
    if (!newest || !handset.online) return;
    const read = () => {
      if (document.visibilityState === "visible") mutate();
    };
    read();
    document.addEventListener("visibilitychange", read);
    return () => document.removeEventListener("visibilitychange", read);
  }, [newest, handset.online, mutate]);
}

/** Keeps the end in sight, unless the reader has scrolled up. */
function useStayAtEnd(messages: PhoneMessage[] | undefined) {
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  useEffect(() => {
    const element = box.current!;
    const look = () => {
      atEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < 80;
    };
    // Pictures get their height when they have loaded.
    const loaded = () => {
      if (atEnd.current) element.scrollTop = element.scrollHeight;
    };
    element.addEventListener("scroll", look);
    element.addEventListener("load", loaded, true);
    return () => {
      element.removeEventListener("scroll", look);
      element.removeEventListener("load", loaded, true);
    };
  }, []);
  const last = messages?.at(-1);
  useLayoutEffect(() => {
    if (box.current && (atEnd.current || last?.from === "me")) box.current.scrollTop = box.current.scrollHeight;
  }, [messages, last?.from]);
  return box;
}
