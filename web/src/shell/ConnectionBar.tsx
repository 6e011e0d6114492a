import { loginAddress, signedOut } from "../api/client";
import { useOnline } from "../api/stream";
import { useText } from "../i18n";
import { Icon } from "../ui/icons";
import { useStore } from "../ui/store";
import styles from "./ConnectionBar.module.css";

/** Says that what is on screen may be old, while the server cannot be reached or the session has ended. */
export function ConnectionBar() {
  const t = useText("common");
  const online = useOnline();
  const out = useStore(signedOut);
  return (
    <div role="status">
      {(out || !online) && (
        <div className={styles.bar}>
          <Icon name="warning" size={16} />
          {out ? t.signedOut : t.offline}
          {out && (
            <a href={loginAddress(location)} target="_blank" rel="noopener">
              {t.signInAgain}
            </a>
          )}
        </div>
      )}
    </div>
  );
}
