import { Button } from "@mantine/core";
import { useRef, type RefObject } from "react";
import type { Conversation } from "../../api/types";
import { useText } from "../../i18n";
import { EmojiButton } from "./EmojiButton";
import { InteractiveButton } from "./InteractiveButton";
import { SendKeyMenu } from "./SendKeyMenu";
import { TemplatesButton } from "./TemplatesButton";
import { ToolButton } from "./ToolButton";
import { VoiceButton } from "./VoiceButton";
import type { WritingState } from "./useWriting";
import styles from "./ComposerTools.module.css";

interface Props {
  conversation: Conversation;
  writing: WritingState;
  field: RefObject<HTMLTextAreaElement | null>;
}

export function ComposerTools({ conversation, writing, field }: Props) {
  const t = useText("inbox");
  const chooser = useRef<HTMLInputElement>(null);
  const { draft, write, ready, looking, submit, addFiles } = writing;
  const insert = (emoji: string) => {
    const element = field.current;
    const at = element?.selectionStart ?? draft.body.length;
    write(draft.body.slice(0, at) + emoji + draft.body.slice(element?.selectionEnd ?? at));
    requestAnimationFrame(() => {
      element?.focus();
      element?.setSelectionRange(at + emoji.length, at + emoji.length);
    });
  };
  return (
    <div className={styles.tools}>
      {!draft.note && (
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
      {!draft.note && (
        <>
          <TemplatesButton conversation={conversation} />
          <VoiceButton conversation={conversation} />
          <InteractiveButton conversation={conversation} body={draft.body} onSent={draft.clear} />
        </>
      )}
      <span className={styles.space} />
      <SendKeyMenu />
      <Button h={32} px={14} disabled={!ready} loading={looking} onClick={submit}>
        {t.send}
      </Button>
    </div>
  );
}
