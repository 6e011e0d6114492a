import { ActionIcon, type ActionIconProps } from "@mantine/core";
import type { ComponentPropsWithRef } from "react";
import { Icon, type IconName } from "./icons";

type Props = Omit<ActionIconProps & ComponentPropsWithRef<"button">, "children" | "aria-label"> & {
  icon: IconName;
  label: string;
  iconSize?: number;
};

/** A quiet button that shows an icon. Its label is its name for screen readers. */
export function IconButton({ icon, label, iconSize, ...props }: Props) {
  return (
    <ActionIcon variant="subtle" color="gray" aria-label={label} {...props}>
      <Icon name={icon} size={iconSize} />
    </ActionIcon>
  );
}
