import { ActionIcon, Tooltip, type ActionIconProps } from "@mantine/core";
import type { ComponentPropsWithRef } from "react";
import { Icon, type IconName } from "../../ui/icons";
import styles from "./ToolButton.module.css";

type Props = ActionIconProps &
  Omit<ComponentPropsWithRef<"button">, "color" | "size"> & { icon: IconName; label: string };

/** A tool below the field: an icon with a name. */
export function ToolButton({ icon, label, ...rest }: Props) {
  return (
    <Tooltip label={label} openDelay={400}>
      <ActionIcon variant="subtle" color="gray" size={32} className={styles.tool} aria-label={label} {...rest}>
        <Icon name={icon} />
      </ActionIcon>
    </Tooltip>
  );
}
