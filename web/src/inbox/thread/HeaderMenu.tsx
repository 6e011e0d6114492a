import { Button, Menu } from "@mantine/core";
import { useState, type ReactNode } from "react";
import styles from "./HeaderMenu.module.css";
import { useOpener, type OpenerName } from "./openers";

interface Props {
  /** The command that opens it. */
  opener: OpenerName;
  label: string;
  title?: string;
  icon: ReactNode;
  text: ReactNode;
  width: number;
  closeOnItemClick?: boolean;
  /** The items, which are made only while the menu is open. */
  children: () => ReactNode;
}

/** A menu in the header of a conversation. */
export function HeaderMenu({ opener, label, title, icon, text, width, closeOnItemClick, children }: Props) {
  const [opened, setOpened] = useState(false);
  useOpener(opener, () => setOpened(true));
  return (
    <Menu opened={opened} onChange={setOpened} position="bottom-end" width={width} closeOnItemClick={closeOnItemClick} withinPortal>
      <Menu.Target>
        <Button size="compact-md" h={32} px={10} variant="default" className={styles.button} aria-label={label} title={title} leftSection={icon}>
          {text}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>{opened && children()}</Menu.Dropdown>
    </Menu>
  );
}
