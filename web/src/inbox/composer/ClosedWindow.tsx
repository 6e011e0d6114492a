import { Button } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { part } from "../../api/part";
import type { Conversation } from "../../api/types";
import { useText } from "../../i18n";
import { Icon } from "../../ui/icons";
import { useOpener } from "../thread/openers";
import styles from "./ClosedWindow.module.css";

const TemplateDialog = lazy(() => part(() => import("../templates/TemplateDialog")));

/** In the place of the field while only a template can be sent. What was written is kept. */
export function ClosedWindow({ conversation, draft }: { conversation: Conversation; draft: string }) {
  const t = useText("inbox");
  const [opened, setOpened] = useState(false);
  useOpener("templates", () => setOpened(true));
  return (
    <div className={styles.closed}>
      <div className={styles.words}>
        <Icon name="lock" size={18} />
        <div>
          <b>{t.windowClosedTitle}</b>
          <p>{t.windowClosedBody}</p>
        </div>
        <Button h={32} leftSection={<Icon name="template" size={16} />} onClick={() => setOpened(true)}>
          {t.templates}
        </Button>
      </div>
      {draft && (
        <p className={styles.draft}>
          <b>{t.draftKept}</b> {draft}
        </p>
      )}
      {opened && (
        <Suspense>
          <TemplateDialog conversation={conversation} onClose={() => setOpened(false)} />
        </Suspense>
      )}
    </div>
  );
}
