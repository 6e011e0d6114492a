import { ActionIcon } from "@mantine/core";
import { useState } from "react";
import type { Conversation } from "../../api/types";
import { useText } from "../../i18n";
import { Avatar } from "../../ui/Avatar";
import { Icon } from "../../ui/icons";
import { toggleContext, useContextShown } from "../context/shown";
import { nameOf, phoneOf } from "../data/conversations";
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
  const second = [name === phoneOf(c.contact.phone_number) ? null : phoneOf(c.contact.phone_number), c.number.name];
  return (
    <header className={styles.header} data-more={more || undefined}>
      <ActionIcon
        className={styles.back}
        variant="subtle"
        color="gray"
        size={44}
        aria-label={t.back}
        onClick={() => open(undefined)}
      >
        <Icon name="left" />
      </ActionIcon>
      <span className={styles.avatar}>
        <Avatar name={name} id={c.contact.id} size={36} />
      </span>
      <div className={styles.who}>
        <h2>{name}</h2>
        <span>{second.filter(Boolean).join(" · ")}</span>
      </div>
      <WindowPill expiresAt={c.window_expires_at} />
      <div className={styles.actions}>
        <AssignMenu conversation={c} />
        <LabelsMenu conversation={c} />
        <SnoozeMenu conversation={c} />
      </div>
      <ResolveButton conversation={c} />
      <ActionIcon
        className={styles.more}
        variant="subtle"
        color="gray"
        size={40}
        aria-label={t.moreActions}
        aria-expanded={more}
        onClick={() => setMore(!more)}
      >
        <Icon name="dots" />
      </ActionIcon>
      <ActionIcon
        className={styles.context}
        variant="subtle"
        color="gray"
        size={32}
        aria-label={t.context}
        aria-expanded={context.beside || context.over}
        onClick={toggleContext}
      >
        <Icon name="info" />
      </ActionIcon>
    </header>
  );
}
