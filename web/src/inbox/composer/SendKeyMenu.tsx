import { Menu } from "@mantine/core";
import { useText } from "../../i18n";
import { Icon } from "../../ui/icons";
import { setSendByMod, useSendByMod } from "./sendKey";
import { ToolButton } from "./ToolButton";
import styles from "./SendKeyMenu.module.css";

/** Whether Enter or Ctrl+Enter sends. */
export function SendKeyMenu() {
  const t = useText("inbox");
  const byMod = useSendByMod();
  const item = (label: string, value: boolean) => (
    <Menu.Item
      role="menuitemradio"
      aria-checked={byMod === value}
      rightSection={byMod === value && <Icon name="check" size={16} />}
      onClick={() => setSendByMod(value)}
    >
      {label}
    </Menu.Item>
  );
  return (
    <div className={styles.menu}>
      <Menu position="top-end" width={230}>
        <Menu.Target>
          <ToolButton icon="dots" label={t.sendKey} />
        </Menu.Target>
        <Menu.Dropdown>
          {item(t.enterSends, false)}
          {item(t.modEnterSends, true)}
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}
