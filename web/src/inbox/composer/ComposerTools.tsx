import { Button } from "@mantine/core";
import { memo, useRef } from "react";
import type { Conversation } from "../../api/types";
import { useText } from "../../i18n";
import { EmojiButton } from "./EmojiButton";
import { InteractiveButton } from "./InteractiveButton";
import { SendKeyMenu } from "./SendKeyMenu";
import { TemplatesButton } from "./TemplatesButton";
import { ToolButton } from "./ToolButton";
import { VoiceButton } from "./VoiceButton";
import styles from "./ComposerTools.module.css";

interface Props {
  conversation: Conversation;
  note: boolean;
  ready: boolean;
  looking: boolean;
  /** What is written now. */
  body: () => string;
  insert: (emoji: string) => void;
  clear: () => void;
  submit: () => void;
  addFiles: (files: File[]) => void;
}

export const ComposerTools = memo(function ComposerTools(props: Props) {
  const t = useText("inbox");
  const chooser = useRef<HTMLInputElement>(null);
  const { conversation, note, ready, looking, body, insert, clear, submit, addFiles } = props;
  return (
    <div className={styles.tools}>
      {!note && (
        <>
          <ToolButton icon="clip" label={t.attach} onClick={() => chooser.current?.click()} />
          <input
            ref={chooser}
            type="file"
            multiple
            hidden
            aria-label={t.attach}
            onChange={(event) => {
              addFiles([...(event.target.files ?? [])]);
              event.target.value = "";
            }}
          />
        </>
      )}
      <EmojiButton onChoose={insert} />
      {!note && (
        <>
          <TemplatesButton conversation={conversation} />
          <VoiceButton conversation={conversation} />
          <InteractiveButton conversation={conversation} body={body} onSent={clear} />
        </>
      )}
      <span className={styles.space} />
      <SendKeyMenu />
      <Button h={32} px={14} disabled={!ready} loading={looking} onClick={submit}>
        {t.send}
      </Button>
    </div>
  );
});
