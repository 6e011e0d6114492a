import type { MessageStatus } from "../../api/types";
import { useText } from "../../i18n";
import { Icon, type IconName } from "../../ui/icons";
import styles from "./Ticks.module.css";

const icons: Partial<Record<MessageStatus, IconName>> = {
  queued: "clock",
  pending: "clock",
  sent: "check",
  delivered: "checks",
  read: "checks",
  failed: "warning",
};

/** How far a message has come, as on a phone. */
export function Ticks({ status }: { status: MessageStatus }) {
  const t = useText("inbox");
  const icon = icons[status];
  if (!icon) return null;
  return (
    <span className={styles.ticks} data-status={status} title={t.status[status]}>
      <Icon name={icon} size={15} />
      <span className="visually-hidden">{t.status[status]}</span>
    </span>
  );
}
