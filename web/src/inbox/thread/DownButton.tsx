import { useText } from "../../i18n";
import { Icon } from "../../ui/icons";
import { countText } from "../../shell/useUnread";
import styles from "./DownButton.module.css";

export function DownButton({ unread, onClick }: { unread: number; onClick: () => void }) {
  const t = useText("inbox");
  return (
    <button type="button" className={styles.down} aria-label={t.toBottom} onClick={onClick}>
      {unread > 0 && <span>{countText(unread)}</span>}
      <Icon name="down" size={18} />
    </button>
  );
}
