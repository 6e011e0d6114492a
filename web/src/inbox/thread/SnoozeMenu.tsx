import { Button, Menu } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { serverNow } from "../../api/clock";
import type { Conversation } from "../../api/types";
import { useLanguage, useText } from "../../i18n";
import { Icon } from "../../ui/icons";
import { useSnooze } from "./useSnooze";
import { snoozeTimes } from "./snooze";
import { useOpener } from "./openers";
import styles from "./HeaderMenu.module.css";

const SnoozeDialog = lazy(() => import("./SnoozeDialog"));

/** Puts a conversation away until a time, or until the person writes. */
export function SnoozeMenu({ conversation: c }: { conversation: Conversation }) {
  const t = useText("inbox");
  const [opened, setOpened] = useState(false);
  const [dated, setDated] = useState(false);
  const snooze = useSnooze(c);
  useOpener("snooze", () => setOpened(true));
  return (
    <>
      <Menu opened={opened} onChange={setOpened} position="bottom-end" width={260} withinPortal>
        <Menu.Target>
          <Button
            size="compact-md"
            h={32}
            px={10}
            variant="default"
            className={styles.button}
            aria-label={t.snooze}
            leftSection={<Icon name="clock" size={16} />}
          >
            <span className={styles.word}>{t.snooze}</span>
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {c.snoozed_until && <Menu.Item onClick={() => snooze(null)}>{t.wake}</Menu.Item>}
          {opened && <Times onChoose={snooze} />}
          <Menu.Item onClick={() => setDated(true)}>{t.snoozeDate}</Menu.Item>
          <Menu.Item onClick={() => snooze("reply")}>{t.untilReply}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
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
