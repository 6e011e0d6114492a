import { useQueryClient } from "@tanstack/react-query";
import type { Message } from "../../api/types";
import { useText } from "../../i18n";
import { windowAnew } from "../data/timeline";
import { usePlace } from "../place";
import { plainText } from "../text/format";
import { reveal, rowOf } from "./follower";
import styles from "./Quote.module.css";

/** The message that this one answers. A click goes there. */
export function Quote({ quoted }: { quoted: NonNullable<Message["quoted"]> }) {
  const t = useText("inbox");
  const client = useQueryClient();
  const { conversation = "", open } = usePlace();
  const jump = (event: React.MouseEvent) => {
    const log = (event.currentTarget as HTMLElement).closest<HTMLElement>("[role=log]");
    const row = log && rowOf(log, quoted.id);
    if (row) return reveal(row);
    void windowAnew(client, conversation, quoted.id);
    open(conversation, quoted.id);
  };
  return (
    <button type="button" className={styles.quote} onClick={jump} title={t.jumpToQuoted}>
      {plainText(quoted.preview) || t.type[quoted.type]}
    </button>
  );
}
