import { Button } from "@mantine/core";
import type { Link, User } from "../../api/types";
import { useText } from "../../i18n";
import { CopyField } from "../../ui/CopyField";
import styles from "../../ui/Dialog.module.css";
import { Modal } from "../../ui/Modal";
import { Time } from "../../ui/Time";

/** Shows a link once. A click beside the dialog does not close it, for the link would be gone. */
export function LinkDialog({ user, link, close }: { user: User; link: Link; close: () => void }) {
  const t = useText("settings");
  return (
    <Modal onClose={close} title={t.linkTitle(user.name)} closeOnClickOutside={false} withCloseButton={false}>
      <div className={styles.form}>
        <p>{link.mailed ? t.linkMailed(user.email) : t.linkHint}</p>
        <CopyField label={t.linkAddress} value={link.url} />
        <p>
          {t.linkExpires} <Time value={link.expires_at} relative />.
        </p>
        <div className={styles.buttons}>
          <Button onClick={close}>{t.done}</Button>
        </div>
      </div>
    </Modal>
  );
}
