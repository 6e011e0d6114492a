import { lazy, Suspense, useState } from "react";
import { part } from "../../api/part";
import type { Conversation } from "../../api/types";
import { useText } from "../../i18n";
import { ToolButton } from "./ToolButton";

const InteractiveDialog = lazy(() => part(() => import("./InteractiveDialog")));

/** Buttons or a list for the person to choose from. */
export function InteractiveButton(props: { conversation: Conversation; body: () => string; onSent: () => void }) {
  const t = useText("inbox");
  const [opened, setOpened] = useState(false);
  return (
    <>
      <ToolButton icon="choices" label={t.buttons} onClick={() => setOpened(true)} />
      {opened && (
        <Suspense>
          <InteractiveDialog {...props} onClose={() => setOpened(false)} />
        </Suspense>
      )}
    </>
  );
}
