import { Button } from "@mantine/core";
import { useSecurity } from "../../settings/security/text";
import { Icon } from "../../ui/icons";
import { copyText } from "../../ui/CopyField";
import { toast } from "../../ui/toasts";
import { useText } from "../../i18n";
import styles from "./secondstep.module.css";

/** The codes for recovery, while they can be seen. */
export function RecoveryCodes({ codes, done }: { codes: string[]; done: () => void }) {
  const t = useSecurity();
  const common = useText("common");
  const text = codes.join("\n") + "\n";
  return (
    <div className={styles.steps}>
      <p>{t.recoveryHint}</p>
      <ul className={styles.codes} aria-label={t.recoveryList}>
        {codes.map((code) => (
          <li key={code} className="mono">
            {code}
          </li>
        ))}
      </ul>
      <div className={styles.buttons}>
        <Button
          variant="default"
          component="a"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
          download="parley-recovery-codes.txt"
          leftSection={<Icon name="download" size={18} />}
        >
          {t.download}
        </Button>
        <Button
          variant="default"
          leftSection={<Icon name="copy" size={18} />}
          onClick={() => void copyText(text).then(() => toast(common.copied))}
        >
          {t.copyAll}
        </Button>
      </div>
      <Button fullWidth onClick={done}>
        {t.stored}
      </Button>
    </div>
  );
}
