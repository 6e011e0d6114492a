import { useMe } from "../../api/queries";
import styles from "../me/panels.module.css";
import { Panel } from "../Section";
import { useSecurity } from "../security/text";
import { Choice } from "./Choice";
import { useChange, type Organization } from "./data";

/** How everybody has to sign in. Owners decide it, and only those who would not lock themselves out. */
export function SignInPanel({ settings }: { settings: Organization }) {
  const t = useSecurity();
  const change = useChange();
  const { user } = useMe();
  const owner = user.role === "owner";
  const first = owner && !user.second_step && !settings.second_step;
  const why = owner ? (first ? t.requireFirst : "") : t.requireOwner;
  return (
    <Panel title={t.signingIn}>
      <div className={styles.fields}>
        <Choice
          label={t.requireAll}
          hint={why ? `${t.requireAllHint} ${why}` : t.requireAllHint}
          on={settings.second_step}
          disabled={!owner || first}
          change={(second_step) => change({ second_step })}
        />
      </div>
    </Panel>
  );
}
