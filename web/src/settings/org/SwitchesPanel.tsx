import { useText } from "../../i18n";
import styles from "../me/panels.module.css";
import { Panel } from "../Section";
import { Choice } from "./Choice";
import { useChange, type Organization } from "./data";

export function SwitchesPanel({ settings }: { settings: Organization }) {
  const t = useText("organization");
  const change = useChange();
  return (
    <Panel title={t.people}>
      <div className={styles.fields}>
        <Choice
          label={t.roundRobin}
          hint={t.roundRobinHint}
          on={settings.round_robin}
          change={(round_robin) => change({ round_robin })}
        />
        <Choice label={t.mask} hint={t.maskHint} on={settings.mask_numbers} change={(mask_numbers) => change({ mask_numbers })} />
      </div>
    </Panel>
  );
}
