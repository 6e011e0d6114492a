import { Tooltip } from "@mantine/core";
import { useMe } from "../api/queries";
import { useText } from "../i18n";
import { IconButton } from "../ui/IconButton";
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
      <IconButton icon="phone" label={t.drawer} size={32} aria-pressed={opened} onClick={() => openDrawer(!opened)} />
    </Tooltip>
  );
}
