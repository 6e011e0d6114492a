import { useText } from "../../i18n";
import { Icon } from "../../ui/icons";
import { useNow } from "../../ui/times";
import { windowState } from "../window";
import styles from "./WindowPill.module.css";

/** How long anything may still be written; amber when it is soon over. */
export function WindowPill({ expiresAt, plain }: { expiresAt: string | null; plain?: boolean }) {
  const t = useText("inbox");
  const { kind, hours, minutes } = windowState(expiresAt, useNow(10_000).getTime());
  return (
    <span className={styles.pill} data-kind={kind} data-plain={plain || undefined} title={t.windowTitle[kind]}>
      {!plain && <Icon name={kind === "closed" ? "lock" : "clock"} size={14} />}
      {kind === "closed" ? t.windowClosed : t.windowLeft(hours, minutes)}
    </span>
  );
}
