import { lazy, Suspense, useState } from "react";
import { part } from "../../api/part";
import type { Conversation } from "../../api/types";
import { useText } from "../../i18n";
import { useOpener } from "../thread/openers";
import { ToolButton } from "./ToolButton";

const TemplateDialog = lazy(() => part(() => import("../templates/TemplateDialog")));

export function TemplatesButton({ conversation }: { conversation: Conversation }) {
  const t = useText("inbox");
  const [opened, setOpened] = useState(false);
  useOpener("templates", () => setOpened(true));
  return (
    <>
      <ToolButton icon="template" label={t.templates} onClick={() => setOpened(true)} />
      {opened && (
        <Suspense>
          <TemplateDialog conversation={conversation} onClose={() => setOpened(false)} />
        </Suspense>
      )}
    </>
  );
}
