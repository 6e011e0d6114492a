import { Outlet } from "@tanstack/react-router";
import { useIsAdmin } from "../api/queries";
import { Missing } from "../ui/Missing";
import styles from "./DevPage.module.css";
import { FindBox } from "./find/FindBox";
import { DevTabs } from "./DevTabs";
import { useDev } from "./text";

/** The developers' pages: the tabs at the left, on a phone above, with the box that finds any id. */
export default function DevPage() {
  const t = useDev();
  if (!useIsAdmin()) {
    return (
      <Missing page icon="lock" title={t.forAdmins}>
        {t.forAdminsHint}
      </Missing>
    );
  }
  return (
    <div className={styles.dev}>
      <div className={styles.sections}>
        <h2>{t.title}</h2>
        <FindBox />
        <DevTabs />
        <a className={styles.docs} href="/docs" target="_blank" rel="noreferrer">
          {t.documentation}
        </a>
      </div>
      <div className={styles.section} id="dev-panel" role="tabpanel" aria-label={t.title}>
        <Outlet />
      </div>
    </div>
  );
}
