import { useText } from "../../i18n";
import styles from "./ComposerTabs.module.css";

/** Reply goes to the person, Note stays with the team. */
export function ComposerTabs({ note, onChange }: { note: boolean; onChange: (note: boolean) => void }) {
  const t = useText("inbox");
  const tab = (name: string, value: boolean) => (
    <button
      type="button"
      role="tab"
      aria-selected={note === value}
      tabIndex={note === value ? 0 : -1}
      onClick={() => onChange(value)}
      onKeyDown={(event) => {
        if (event.key === "ArrowRight" || event.key === "ArrowLeft") onChange(!note);
      }}
    >
      {name}
    </button>
  );
  return (
    <div className={styles.tabs} role="tablist" aria-label={t.composer}>
      {tab(t.reply, false)}
      {tab(t.note, true)}
    </div>
  );
}
