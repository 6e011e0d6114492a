import { lazy, Suspense, useState } from "react";
import { part } from "../../api/part";
import type { Conversation } from "../../api/types";
import { useText } from "../../i18n";
import { ToolButton } from "./ToolButton";

const Recorder = lazy(() => part(() => import("../voice/Recorder")));

const canRecord = () => typeof MediaRecorder !== "undefined" && "mediaDevices" in navigator;

/** Records a voice note. Absent where the browser cannot, or the page has no secure address. */
export function VoiceButton({ conversation }: { conversation: Conversation }) {
  const t = useText("inbox");
  const [opened, setOpened] = useState(false);
  if (!canRecord()) return null;
  return (
    <>
      <ToolButton icon="mic" label={t.voice} onClick={() => setOpened(true)} />
      {opened && (
        <Suspense>
          <Recorder conversation={conversation} onClose={() => setOpened(false)} />
        </Suspense>
      )}
    </>
  );
}
