import { Radio, Stack, Switch } from "@mantine/core";
import { useState } from "react";
import { useText } from "../../i18n";
import { preferences, setPreferences } from "../../shell/preferences";
import { useStore } from "../../ui/store";
import { Panel } from "../Section";
import styles from "./panels.module.css";

/** Browsers ask the user once; who has said no must say yes in the browser's own settings. */
async function mayNotify(): Promise<boolean> {
  return "Notification" in window && (await Notification.requestPermission()) === "granted";
}

export function NotificationsPanel() {
  const t = useText("settings");
  const { about, desktop, sound } = useStore(preferences);
  const [denied, setDenied] = useState(false);
  const switchDesktop = async (on: boolean) => {
    const allowed = !on || (await mayNotify());
    setDenied(!allowed);
    setPreferences({ desktop: on && allowed });
  };
  return (
    <Panel title={t.notifications} hint={t.notificationsHint}>
      <div className={styles.fields}>
        <Radio.Group
          label={t.about}
          value={about}
          onChange={(value) => setPreferences({ about: value })}
        >
          <Stack gap={10} mt={8}>
            <Radio value="mine" label={t.aboutMine} />
            <Radio value="unassigned" label={t.aboutUnassigned} />
            <Radio value="all" label={t.aboutAll} />
          </Stack>
        </Radio.Group>
        <Switch
          label={t.desktop}
          checked={desktop}
          error={denied && t.desktopDenied}
          onChange={(event) => void switchDesktop(event.target.checked)}
        />
        <Switch label={t.sound} checked={sound} onChange={(event) => setPreferences({ sound: event.target.checked })} />
      </div>
    </Panel>
  );
}
