import type { Message } from "../../api/types";
import { useText } from "../../i18n";
import styles from "./Reactions.module.css";

/** Emojis that people put on a message. */
export function Reactions({ message: { reactions } }: { message: Message }) {
  const t = useText("inbox");
  const shown = reactions?.filter((r) => r.emoji) ?? [];
  if (shown.length === 0) return null;
  return (
    <div className={styles.reactions}>
      {shown.map((r) => (
        <span
          key={`${r.direction}${r.from ?? ""}${r.emoji}`}
          title={r.direction === "outbound" ? t.reactedUs : t.reactedThem}
        >
          {r.emoji}
        </span>
      ))}
    </div>
  );
}
