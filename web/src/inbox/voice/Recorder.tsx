import { Button, Group } from "@mantine/core";
import { useEffect, useMemo, useState } from "react";
import type { Conversation } from "../../api/types";
import { useText } from "../../i18n";
import { Modal } from "../../ui/Modal";
import { Icon } from "../../ui/icons";
import { toast } from "../../ui/toasts";
import { useSend } from "../composer/useSend";
import { durationText } from "../thread/content/audio";
import { useRecording } from "./useRecording";
import { voiceNote } from "./voicenote";
import styles from "./Recorder.module.css";

/** Records, lets one listen, and sends a voice note. */
export default function Recorder({ conversation, onClose }: { conversation: Conversation; onClose: () => void }) {
  const t = useText("inbox");
  const common = useText("common");
  const { state, seconds, stop } = useRecording();
  const { sendContents } = useSend(conversation);
  const [sending, setSending] = useState(false);
  const send = async (blob: Blob) => {
    setSending(true); // a second press would send it twice
    try {
      const file = await voiceNote(blob);
      sendContents([{ content: { type: "audio", audio: { voice: true } }, file }]);
      onClose();
    } catch {
      toast(t.voiceBroken, { kind: "error" });
      setSending(false);
    }
  };
  return (
    <Modal onClose={onClose} title={t.voice} centered size="sm" closeOnClickOutside={false}>
      <div className={styles.body} aria-live="polite">
        {state.kind === "starting" && t.voiceStarting}
        {state.kind === "refused" && t.voiceRefused}
        {state.kind === "recording" && (
          <>
            <i className={styles.light} /> {t.recording} <b>{durationText(seconds)}</b>
          </>
        )}
        {state.kind === "done" && <Listen blob={state.blob} />}
      </div>
      <Group justify="flex-end" gap={8}>
        <Button variant="default" onClick={onClose}>
          {common.cancel}
        </Button>
        {state.kind === "recording" && (
          <Button leftSection={<Icon name="stop" size={16} />} onClick={stop}>
            {t.stopRecording}
          </Button>
        )}
        {state.kind === "done" && <Button loading={sending} onClick={() => void send(state.blob)}>{t.send}</Button>}
      </Group>
    </Modal>
  );
}

function Listen({ blob }: { blob: Blob }) {
  const url = useMemo(() => URL.createObjectURL(blob), [blob]);
  useEffect(() => () => URL.revokeObjectURL(url), [url]);
  // A recording of one's own voice has no captions.
  // eslint-disable-next-line jsx-a11y/media-has-caption
  return <audio src={url} controls className={styles.listen} />;
}
