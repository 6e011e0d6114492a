import { Link, Outlet, type LinkProps } from "@tanstack/react-router";
import { useIsAdmin } from "../api/queries";
import { useText } from "../i18n";
import { useCurrentInView } from "../ui/useCurrentInView";
import styles from "./SettingsPage.module.css";

function Entry({ to, name }: { to: LinkProps["to"]; name: string }) {
  return (
    <Link to={to} activeProps={{ "aria-current": "page" }}>
      {name}
    </Link>
  );
}

/** The settings' sections at the left, on a phone above. */
export default function SettingsPage() {
  const t = useText("settings");
  const admin = useIsAdmin();
  const sections = useCurrentInView<HTMLElement>();
  return (
    <div className={styles.settings}>
      <nav ref={sections} className={styles.sections} aria-label={t.sections}>
        <h2>{t.title}</h2>
        <Entry to="/settings/me" name={t.me} />
        {admin && <Entry to="/settings/org" name={t.organization} />}
        {admin && <Entry to="/settings/users" name={t.users} />}
        {admin && <Entry to="/settings/teams" name={t.teams} />}
        <Entry to="/settings/labels" name={t.labels} />
        <Entry to="/settings/replies" name={t.replies} />
        {admin && <Entry to="/settings/words" name={t.words} />}
        {admin && <Entry to="/settings/usage" name={t.usage} />}
        {admin && <Entry to="/settings/audit" name={t.audit} />}
      </nav>
      <div className={styles.section}>
        <Outlet />
      </div>
    </div>
  );
}
