import { useState } from "react";
import type { Conversation } from "../../api/types";
import { useText } from "../../i18n";
import { Avatar } from "../../ui/Avatar";
import { IconButton } from "../../ui/IconButton";
import { toggleContext, useContextShown } from "../context/shown";
import { phoneOf } from "../../ui/phone";
import { useTitle } from "../../ui/title";
import { nameOf } from "../data/conversations";
import { usePlace } from "../place";
import { AssignMenu } from "./AssignMenu";
import { LabelsMenu } from "../labels/LabelsMenu";
import { ResolveButton } from "./ResolveButton";
import { SnoozeMenu } from "./SnoozeMenu";
import { WindowPill } from "./WindowPill";
import styles from "./ThreadHeader.module.css";

export function ThreadHeader({ conversation: c }: { conversation: Conversation }) {
  const t = useText("inbox");
  const { open } = usePlace();
  const context = useContextShown();
  const [more, setMore] = useState(false);
  const name = nameOf(c);
  useTitle(name);
  const second = [name === phoneOf(c.contact.phone_number) ? null : phoneOf(c.contact.phone_number), c.number.name];
  return (
    <header className={styles.header} data-more={more || undefined}>
      <IconButton icon="left" label={t.back} className={styles.back} size={44} onClick={() => open(undefined)} />
      <span className={styles.avatar}>
        <Avatar name={name} id={c.contact.id} size={36} />
      </span>
      <div className={styles.who}>
        <h2 dir="auto">{name}</h2>
        <span>{second.filter(Boolean).join(" · ")}</span>
      </div>
      <WindowPill expiresAt={c.window_expires_at} />
      <div className={styles.actions}>
        <AssignMenu conversation={c} />
        <LabelsMenu conversation={c} />
        <SnoozeMenu conversation={c} />
      </div>
      <ResolveButton conversation={c} />
      <IconButton
        icon="dots"
        label={t.moreActions}
        className={styles.more}
        size={40}
        aria-expanded={more}
        onClick={() => setMore(!more)}
      />
      <IconButton
        icon="info"
        label={t.context}
        className={styles.context}
        size={32}
        aria-expanded={context.beside || context.over}
        onClick={toggleContext}
      />
    </header>
  );
}
