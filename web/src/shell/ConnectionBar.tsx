import { useOnline } from "../api/stream";
import { useText } from "../i18n";
import { Icon } from "../ui/icons";
import styles from "./ConnectionBar.module.css";

/** Says that what is on screen may be old, while the server cannot be reached. */
export function ConnectionBar() {
  const t = useText("common");
  const online = useOnline();
  return (
    <div role="status">
      {!online && (
        <div className={styles.bar}>
          <Icon name="warning" size={16} />
          {t.offline}
        </div>
      )}
    </div>
  );
}
