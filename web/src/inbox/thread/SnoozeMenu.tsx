import { Menu } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { serverNow } from "../../api/clock";
import { part } from "../../api/part";
import type { Conversation } from "../../api/types";
import { useLanguage, useText } from "../../i18n";
import { Icon } from "../../ui/icons";
import { useSnooze } from "./useSnooze";
import { snoozeTimes } from "./snooze";
import { HeaderMenu } from "./HeaderMenu";
import styles from "./HeaderMenu.module.css";

const SnoozeDialog = lazy(() => part(() => import("./SnoozeDialog")));

/** Puts a conversation away until a time, or until the person writes. */
export function SnoozeMenu({ conversation: c }: { conversation: Conversation }) {
  const t = useText("inbox");
  const [dated, setDated] = useState(false);
  const snooze = useSnooze(c);
  return (
    <>
      <HeaderMenu
        opener="snooze"
        label={t.snooze}
        icon={<Icon name="clock" size={16} />}
        text={<span className={styles.word}>{t.snooze}</span>}
        width={260}
      >
        {() => (
          <>
            {c.snoozed_until && <Menu.Item onClick={() => snooze(null)}>{t.wake}</Menu.Item>}
            <Times onChoose={snooze} />
            <Menu.Item onClick={() => setDated(true)}>{t.snoozeDate}</Menu.Item>
            <Menu.Item onClick={() => snooze("reply")}>{t.untilReply}</Menu.Item>
          </>
        )}
      </HeaderMenu>
      {dated && (
        <Suspense>
          <SnoozeDialog onClose={() => setDated(false)} onChoose={snooze} />
        </Suspense>
      )}
    </>
  );
}

function Times({ onChoose }: { onChoose: (until: string) => void }) {
  const t = useText("inbox");
  const language = useLanguage();
  const format = new Intl.DateTimeFormat(language, {
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  return snoozeTimes(new Date(serverNow())).map(({ name, at }) => (
    <Menu.Item
      key={name}
      rightSection={<small className={styles.when}>{format.format(at)}</small>}
      onClick={() => onChoose(at.toISOString())}
    >
      {t.snoozeFor[name]}
    </Menu.Item>
  ));
}
