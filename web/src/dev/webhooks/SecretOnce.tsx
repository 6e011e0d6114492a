import { Button } from "@mantine/core";
import { CopyField } from "../../ui/CopyField";
import dialog from "../../ui/Dialog.module.css";
import { useDev } from "../text";
import { Modal } from "../../ui/Modal";

/** The signing secret of a new endpoint. */
export function SecretOnce({ secret, close }: { secret: string; close: () => void }) {
  const t = useDev();
  return (
    <Modal onClose={close} title={t.secretTitle} closeOnClickOutside={false} closeOnEscape={false} withCloseButton={false}>
      <div className={dialog.form}>
        <p>{t.secretHint}</p>
        <CopyField label={t.secret} value={secret} />
        <div className={dialog.buttons}>
          <Button onClick={close}>{t.done}</Button>
        </div>
      </div>
    </Modal>
  );
}
