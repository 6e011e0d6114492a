import { useEffect, useRef, useState, type RefObject } from "react";
import { useMe } from "../../api/queries";
import type { Conversation, Me } from "../../api/types";
import { useText } from "../../i18n";
import { useNow } from "../../ui/times";
import { useSteadyFunction } from "../../ui/useSteadyFunction";
import type { PresenceOfThread } from "../presence/usePresence";
import { useOpener } from "../thread/openers";
import { windowState } from "../window";
import { AnsweringBar } from "./AnsweringBar";
import { ClosedWindow } from "./ClosedWindow";
import { CollisionDialog } from "./CollisionDialog";
import { ComposerField } from "./ComposerField";
import { ComposerTabs } from "./ComposerTabs";
import { ComposerTools } from "./ComposerTools";
import { FileTray } from "./FileTray";
import { useDrop } from "./useDrop";
import { useWriting, type WritingState } from "./useWriting";
import styles from "./Composer.module.css";

interface ToolsProps {
  conversation: Conversation;
  writing: WritingState;
  field: RefObject<HTMLTextAreaElement | null>;
  addFiles: (files: File[]) => void;
}

/** Where an answer or a note is written. While the window is closed only a template can be sent; notes always can. */
export function Composer(props: { conversation: Conversation; presence: PresenceOfThread }) {
  return <Writing {...props} me={useMe()} />;
}

/** It is drawn again on every key, so what it does not need to look up each time is given to it. */
function Writing({ conversation: c, presence, me }: { conversation: Conversation; presence: PresenceOfThread; me: Me }) {
  const t = useText("inbox");
  const field = useRef<HTMLTextAreaElement>(null);
  const closed = windowState(c.window_expires_at, useNow(5_000).getTime()).kind === "closed";
  const writing = useWriting(c, me.user.id, closed);
  const { draft, files } = writing;
  const [focusWanted, wantFocus] = useState(0);
  const blocked = closed && !draft.note;
  const [inField, setInField] = useState(false);
  // Without the field under their hands, what somebody goes on typing would be commands.
  const [held, hold] = useState(false);
  const holds = blocked && (held || inField);
  if (held !== holds) hold(holds);
  const show = (note: boolean) => {
    draft.show(note);
    wantFocus((n) => n + 1);
  };
  useOpener("reply", () => show(false));
  useOpener("note", () => show(true));
  useEffect(() => {
    const element = field.current;
    if (focusWanted === 0 || !element) return;
    element.focus();
    // A field that nobody was in yet has its caret before the draft.
    if (element.selectionEnd === 0) element.setSelectionRange(element.value.length, element.value.length);
  }, [focusWanted]);
  // A caption is typed next.
  const addFiles = useSteadyFunction((more: File[]) => {
    writing.addFiles(more);
    field.current?.focus();
  });
  const dropping = useDrop(addFiles, blocked || draft.note);
  return (
    <section
      className={styles.composer}
      data-note={draft.note || undefined}
      data-dropping={dropping || undefined}
      aria-label={t.composer}
    >
      <ComposerTabs note={draft.note} onChange={show} />
      {blocked && <ClosedWindow conversation={c} draft={holds ? "" : draft.body} />}
      {(!blocked || holds) && (
        <>
          {!draft.note && <AnsweringBar conversation={c} />}
          {!draft.note && <FileTray files={files} onRemove={writing.removeFile} />}
          <ComposerField ref={field} conversation={c} writing={writing} me={me} onType={presence.typing} onInside={setInField} />
          {!blocked && <Tools conversation={c} writing={writing} field={field} addFiles={addFiles} />}
        </>
      )}
      {writing.unseen && (
        <CollisionDialog reply={writing.unseen} onSend={writing.sendAnyway} onClose={writing.lookAgain} />
      )}
      {dropping && <div className={styles.drop}>{t.dropFiles}</div>}
    </section>
  );
}

/** The tools, which typing does not draw again: what they are given stays the same from key to key. */
function Tools({ conversation, writing, field, addFiles }: ToolsProps) {
  const { draft, write, ready, looking } = writing;
  const insert = useSteadyFunction((emoji: string) => {
    const element = field.current;
    const at = element?.selectionStart ?? draft.body.length;
    write(draft.body.slice(0, at) + emoji + draft.body.slice(element?.selectionEnd ?? at));
    requestAnimationFrame(() => {
      element?.focus();
      element?.setSelectionRange(at + emoji.length, at + emoji.length);
    });
  });
  const body = useSteadyFunction(() => draft.body);
  const clear = useSteadyFunction(draft.clear);
  // Whoever has pressed the button goes on writing, as with Enter: elsewhere the next letters would be commands.
  const submit = useSteadyFunction(() => {
    writing.submit();
    field.current?.focus();
  });
  return (
    <ComposerTools
      conversation={conversation}
      note={draft.note}
      ready={ready}
      looking={looking}
      body={body}
      insert={insert}
      clear={clear}
      submit={submit}
      addFiles={addFiles}
    />
  );
}
