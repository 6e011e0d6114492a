import { Button } from "@mantine/core";
import { CopyField } from "../../ui/CopyField";
import dialog from "../../ui/Dialog.module.css";
import { useDev } from "../text";
import { Modal } from "../../ui/Modal";
import type { MadeKey } from "./data";
import { remember } from "./recent";

/** Shows a key once. Neither a click beside the dialog nor Escape closes it, for the key would be gone. */
export function NewKey({ made, close }: { made: MadeKey; close: () => void }) {
  const t = useDev();
  remember(made.text);
  return (
    <Modal onClose={close} title={t.keyMade(made.key.name)} closeOnClickOutside={false} closeOnEscape={false} withCloseButton={false}>
      <div className={dialog.form}>
        <p>{t.keyMadeHint}</p>
        <CopyField label={t.key} value={made.text} />
        <div className={dialog.buttons}>
          <Button onClick={close}>{t.done}</Button>
        </div>
      </div>
    </Modal>
  );
}
