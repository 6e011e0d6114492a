import { Tooltip } from "@mantine/core";
import { Link, type LinkProps } from "@tanstack/react-router";
import { useIsAdmin, useMe } from "../api/queries";
import { useText } from "../i18n";
import { Icon, type IconName } from "../ui/icons";
import styles from "./Rail.module.css";
import { UserMenu } from "./UserMenu";
import { countText, useUnread } from "./useUnread";

function Entry(props: { to: LinkProps["to"]; icon: IconName; name: string; count?: number }) {
  const t = useText("shell");
  const count = props.count ?? 0;
  return (
    <Tooltip label={props.name} position="right" openDelay={400}>
      <Link to={props.to} className={styles.entry} activeOptions={{ exact: props.to === "/" }} activeProps={{ "aria-current": "page" }} aria-description={count > 0 ? t.unread(count) : undefined}>
        <Icon name={props.icon} />
        <span className={styles.name}>{props.name}</span>
        {count > 0 && (
          <span className={styles.count} aria-hidden="true">
            {countText(count)}
          </span>
        )}
      </Link>
    </Tooltip>
  );
}

/** The main navigation: at the left, on a phone at the bottom. It has only pages that are there. */
export function Rail({ openShortcuts }: { openShortcuts: () => void }) {
  const t = useText("shell");
  const me = useMe();
  const admin = useIsAdmin();
  const unread = useUnread();
  return (
    <nav className={styles.rail} aria-label={t.main}>
      <span className={styles.logo} aria-hidden="true">
        P
      </span>
      <Entry to="/" icon="home" name={t.home} />
      <Entry to="/inbox" icon="inbox" name={t.inbox} count={unread} />
      <Entry to="/contacts" icon="people" name={t.contacts} />
      {me.simulator && <Entry to="/phone" icon="phone" name={t.phone} />}
      <span className={styles.space} />
      {admin && <Entry to="/dev" icon="code" name={t.developers} />}
      <Entry to="/settings" icon="gear" name={t.settings} />
      <UserMenu openShortcuts={openShortcuts} />
    </nav>
  );
}
