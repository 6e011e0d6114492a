import { Tooltip, type ActionIconProps } from "@mantine/core";
import type { ComponentPropsWithRef } from "react";
import { IconButton } from "../../ui/IconButton";
import type { IconName } from "../../ui/icons";
import styles from "./ToolButton.module.css";

type Props = ActionIconProps &
  Omit<ComponentPropsWithRef<"button">, "color" | "size"> & { icon: IconName; label: string };

/** A tool below the field: an icon with a name, which would lie over what the tool has opened. */
export function ToolButton({ icon, label, ...rest }: Props) {
  return (
    <Tooltip label={label} openDelay={400} disabled={Boolean(rest["aria-expanded"])}>
      <IconButton icon={icon} label={label} size={32} className={styles.tool} {...rest} />
    </Tooltip>
  );
}
