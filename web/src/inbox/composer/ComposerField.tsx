import { Textarea } from "@mantine/core";
import { useState, type ClipboardEvent, type ComponentPropsWithRef, type KeyboardEvent, type Ref } from "react";
import type { Conversation, Me } from "../../api/types";
import { useText } from "../../i18n";
import { pastedFiles } from "./files";
import { Suggestions } from "./Suggestions";
import { sends, useSendByMod } from "./sendKey";
import { useSuggestions } from "./useSuggestions";
import type { WritingState } from "./useWriting";
import styles from "./ComposerField.module.css";

interface Props {
  ref: Ref<HTMLTextAreaElement>;
  conversation: Conversation;
  writing: WritingState;
  me: Me;
  onType: () => void;
  /** Hears whether somebody is in the field, also while the window of the browser is not in front. */
  onInside: (inside: boolean) => void;
}

const touch = () => matchMedia("(pointer: coarse)").matches;

/** Browsers that do not grow a field by themselves have it measured, three layouts for each key. */
const grows = CSS.supports("field-sizing", "content");

/** The field itself, as plain as it can be: it is drawn again on every key. */
function Field(props: ComponentPropsWithRef<"textarea">) {
  if (grows) return <textarea {...props} className={`${styles.input} ${styles.grows}`} />;
  return <Textarea {...props} variant="unstyled" autosize minRows={2} maxRows={12} classNames={{ input: styles.input }} />;
}

/** The field grows with the text. `/` offers canned replies, `@` colleagues in a note. */
export function ComposerField({ ref, conversation, writing, me, onType, onInside }: Props) {
  const t = useText("inbox");
  const { draft, write, excess, looking, submit, addFiles } = writing;
  const byMod = useSendByMod();
  const [caret, setCaret] = useState(draft.body.length);
  const suggestions = useSuggestions(conversation, writing, caret, me);
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (suggestions.onKey(event)) return;
    if (event.key === "Escape") event.currentTarget.blur();
    if (!sends({ ...event, key: event.key, isComposing: event.nativeEvent.isComposing }, byMod, touch())) return;
    event.preventDefault();
    submit();
  };
  const onPaste = (event: ClipboardEvent) => {
    const files = pastedFiles(event.clipboardData);
    if (files.length === 0 || draft.note) return;
    event.preventDefault();
    addFiles(files);
  };
  return (
    <>
      <Suggestions state={suggestions} />
      <Field
        ref={ref}
        aria-label={t.message}
        placeholder={draft.note ? t.notePlaceholder : touch() ? t.placeholderShort : t.placeholder}
        value={draft.body}
        readOnly={looking}
        aria-controls={suggestions.options.length > 0 ? suggestions.id : undefined}
        aria-activedescendant={suggestions.activeId}
        aria-invalid={excess > 0}
        onFocus={() => onInside(true)}
        onBlur={({ target }) => target !== document.activeElement && onInside(false)}
        onChange={(event) => {
          write(event.target.value);
          setCaret(event.target.selectionStart);
          if (event.target.value && !draft.note) onType();
        }}
        onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
      <p role="status" className={excess > 0 ? styles.excess : "visually-hidden"}>
        {excess > 0 && t.tooLong(excess)}
      </p>
    </>
  );
}
