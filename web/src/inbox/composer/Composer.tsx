import { useEffect, useRef, useState } from "react";
import type { Conversation } from "../../api/types";
import { useText } from "../../i18n";
import { useNow } from "../../ui/times";
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
import { useWriting } from "./useWriting";
import styles from "./Composer.module.css";

/** Where an answer or a note is written. While the window is closed only a template can be sent; notes always can. */
export function Composer({ conversation: c, presence }: { conversation: Conversation; presence: PresenceOfThread }) {
  const t = useText("inbox");
  const field = useRef<HTMLTextAreaElement>(null);
  const writing = useWriting(c);
  const { draft, files, addFiles } = writing;
  const [focusWanted, wantFocus] = useState(0);
  const closed = windowState(c.window_expires_at, useNow(5_000).getTime()).kind === "closed";
  const blocked = closed && !draft.note;
  const show = (note: boolean) => {
    draft.show(note);
    wantFocus((n) => n + 1);
  };
  useOpener("reply", () => show(false));
  useOpener("note", () => show(true));
  useEffect(() => {
    if (focusWanted > 0) field.current?.focus();
  }, [focusWanted]);
  const dropping = useDrop(addFiles, blocked || draft.note);
  return (
    <section
      className={styles.composer}
      data-note={draft.note || undefined}
      data-dropping={dropping || undefined}
      aria-label={t.composer}
    >
      <ComposerTabs note={draft.note} onChange={show} />
      {blocked ? (
        <ClosedWindow conversation={c} draft={draft.body} />
      ) : (
        <>
          {!draft.note && <AnsweringBar conversation={c} />}
          <FileTray files={files} onRemove={writing.removeFile} />
          <ComposerField ref={field} conversation={c} writing={writing} onType={presence.typing} />
          <ComposerTools conversation={c} writing={writing} field={field} />
        </>
      )}
      {writing.unseen && (
        <CollisionDialog reply={writing.unseen} onSend={writing.sendAnyway} onClose={writing.lookAgain} />
      )}
      {dropping && <div className={styles.drop}>{t.dropFiles}</div>}
    </section>
  );
}
