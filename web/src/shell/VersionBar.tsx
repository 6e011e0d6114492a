import { useText } from "../i18n";
import { Icon } from "../ui/icons";
import styles from "./VersionBar.module.css";
import { useOutdated } from "./version";

/** Says quietly that there is a newer page. Whoever writes decides when to load it. */
export function VersionBar() {
  const t = useText("common");
  const outdated = useOutdated();
  return (
    <div role="status">
      {outdated && (
        <div className={styles.bar}>
          <Icon name="refresh" size={16} />
          {t.newVersion}
          <button type="button" onClick={() => location.reload()}>
            {t.reloadNow}
          </button>
        </div>
      )}
    </div>
  );
}
