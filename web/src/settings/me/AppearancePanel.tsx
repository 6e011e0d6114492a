import { SegmentedControl, Select, useMantineColorScheme, type MantineColorScheme } from "@mantine/core";
import { useId } from "react";
import { languages, setLanguage, useLanguage, useText, type Language } from "../../i18n";
import { Panel } from "../Section";
import styles from "./panels.module.css";

export function AppearancePanel() {
  const t = useText("settings");
  const shell = useText("shell");
  const id = useId();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const schemes = [
    { value: "light", label: shell.light },
    { value: "dark", label: shell.dark },
    { value: "auto", label: shell.system },
  ];
  return (
    <Panel title={t.appearance}>
      <div className={styles.fields}>
        <div>
          <div id={id} className={styles.label}>
            {shell.theme}
          </div>
          <SegmentedControl
            aria-labelledby={id}
            fullWidth
            data={schemes}
            value={colorScheme}
            onChange={(value) => setColorScheme(value as MantineColorScheme)}
          />
        </div>
        <Select
          label={shell.language}
          allowDeselect={false}
          data={Object.entries(languages).map(([value, label]) => ({ value, label }))}
          value={useLanguage()}
          onChange={(value) => void setLanguage(value as Language)}
        />
      </div>
    </Panel>
  );
}
