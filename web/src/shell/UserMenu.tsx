import { Menu, UnstyledButton, useMantineColorScheme, type MantineColorScheme } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useMe } from "../api/queries";
import { languages, setLanguage, useLanguage, useText, type Language } from "../i18n";
import { Avatar } from "../ui/Avatar";
import { Icon, type IconName } from "../ui/icons";
import { Kbd } from "../ui/Kbd";
import { Availability } from "./Availability";
import { signOut, signOutEverywhere } from "./signOut";
import styles from "./UserMenu.module.css";

const schemes = { light: "sun", dark: "moon", auto: "gear" } as const satisfies Record<string, IconName>;

function Schemes() {
  const t = useText("shell");
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const names = { light: t.light, dark: t.dark, auto: t.system };
  return (
    <>
      <Menu.Label>{t.theme}</Menu.Label>
      <Menu.RadioGroup value={colorScheme} onChange={(value) => setColorScheme(value as MantineColorScheme)}>
        {(["light", "dark", "auto"] as const).map((scheme) => (
          <Menu.RadioItem key={scheme} value={scheme} rightSection={<Icon name={schemes[scheme]} size={18} />}>
            {names[scheme]}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
    </>
  );
}

function Languages() {
  const t = useText("shell");
  return (
    <>
      <Menu.Label>{t.language}</Menu.Label>
      <Menu.RadioGroup value={useLanguage()} onChange={(value) => void setLanguage(value as Language)}>
        {Object.entries(languages).map(([language, name]) => (
          <Menu.RadioItem key={language} value={language} lang={language}>
            {name}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
    </>
  );
}

export function UserMenu({ openShortcuts }: { openShortcuts: () => void }) {
  const t = useText("shell");
  const { user } = useMe();
  return (
    <Menu position="right-end" width={240}>
      <Menu.Target>
        <UnstyledButton className={styles.button} aria-label={t.account(user.name)}>
          <Avatar name={user.name} size={32} away={user.away} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <div className={styles.who}>
          <b>{user.name}</b>
          <span>{user.email}</span>
        </div>
        <Menu.Divider />
        <Availability />
        <Menu.Divider />
        <Menu.Item component={Link} to="/settings/me" leftSection={<Icon name="person" size={18} />}>
          {t.profile}
        </Menu.Item>
        <Menu.Item
          className={styles.withKeys}
          leftSection={<Icon name="info" size={18} />}
          rightSection={<Kbd keys="?" />}
          onClick={openShortcuts}
        >
          {t.shortcuts}
        </Menu.Item>
        <Menu.Divider />
        <Schemes />
        <Menu.Divider />
        <Languages />
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="leave" size={18} />} onClick={() => void signOut()}>
          {t.signOut}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="leave" size={18} />} onClick={() => void signOutEverywhere()}>
          {t.signOutEverywhere}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
