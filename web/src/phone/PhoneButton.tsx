import { ActionIcon, Tooltip } from "@mantine/core";
import { useMe } from "../api/queries";
import { useText } from "../i18n";
import { Icon } from "../ui/icons";
import { openDrawer, useDrawer } from "./drawer";
import { usePhoneBeside } from "./usePhoneBeside";

/** Opens the phone beside the inbox, where there is room for it and a simulator. */
export function PhoneButton() {
  const t = useText("phone");
  const me = useMe();
  const opened = useDrawer();
  const room = usePhoneBeside();
  if (!me.simulator || !room) return null;
  return (
    <Tooltip label={t.drawer}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={32}
        aria-label={t.drawer}
        aria-pressed={opened}
        onClick={() => openDrawer(!opened)}
      >
        <Icon name="phone" />
      </ActionIcon>
    </Tooltip>
  );
}
