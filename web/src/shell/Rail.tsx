import { Menu, Tooltip, UnstyledButton } from "@mantine/core";
import { Link, useLocation } from "@tanstack/react-router";
import { useText } from "../i18n";
import { Icon } from "../ui/icons";
import { usePages, type Page } from "./pages";
import styles from "./Rail.module.css";
import { UserMenu } from "./UserMenu";
import { useUnread } from "./useUnread";

/** Only the inbox has a count: the other entries are not drawn again when it changes. */
function InboxEntry({ page }: { page: Page }) {
  return <Entry page={page} count={useUnread()} />;
}

function Entry({ page: { to, icon, name, main }, count = 0 }: { page: Page; count?: number }) {
  const t = useText("shell");
  return (
    <Tooltip label={name} position="right" openDelay={100} events={{ hover: true, focus: true, touch: false }}>
      <Link
        to={to}
        className={styles.entry}
        data-main={main}
        activeOptions={{ exact: to === "/" }}
        activeProps={{ "aria-current": "page" }}
        aria-description={count > 0 ? t.unread(count) : undefined}
      >
        <Icon name={icon} />
        <span className={styles.name}>{name}</span>
        {count > 0 && (
          <span className={styles.count} aria-hidden="true">
            {count > 99 ? "99+" : count}
          </span>
        )}
      </Link>
    </Tooltip>
  );
}

/** On a phone: the pages for which the bar has no room. */
function More({ pages }: { pages: Page[] }) {
  const t = useText("shell");
  const { pathname } = useLocation();
  const here = pages.some((page) => pathname.startsWith(page.to));
  return (
    <Menu position="top-end" width={220}>
      <Menu.Target>
        <UnstyledButton className={`${styles.entry} ${styles.more}`} aria-current={here ? "true" : undefined}>
          <Icon name="dots" />
          <span className={styles.name}>{t.more}</span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {pages.map((page) => (
          <Menu.Item key={page.to} component={Link} to={page.to} leftSection={<Icon name={page.icon} size={20} />}>
            {page.name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** The main navigation: at the left, on a phone at the bottom. It has only pages that are there. */
export function Rail({ openShortcuts }: { openShortcuts: () => void }) {
  const t = useText("shell");
  const pages = usePages();
  return (
    <nav className={styles.rail} aria-label={t.main}>
      <span className={styles.logo} aria-hidden="true">
        P
      </span>
      {pages.filter((page) => !page.end).map((page) => {
        const Kind = page.to === "/inbox" ? InboxEntry : Entry;
        return <Kind key={page.to} page={page} />;
      })}
      <span className={styles.space} />
      {pages.filter((page) => page.end).map((page) => <Entry key={page.to} page={page} />)}
      <More pages={pages.filter((page) => !page.main)} />
      <UserMenu openShortcuts={openShortcuts} />
    </nav>
  );
}
