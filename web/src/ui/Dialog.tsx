import { Button } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { useText } from "../i18n";
import styles from "./Dialog.module.css";
import { FormError } from "./FormError";
import { Modal } from "./Modal";
import { useAskToLeave } from "./useAskToLeave";
import type { useSubmit } from "./useSubmit";

/**
 * A dialog with a form: its fields, what went wrong with the whole of it, and its two buttons. What was typed does not go
 * with a click beside it.
 */
export function FormDialog(props: {
  title: string;
  action: string;
  danger?: boolean;
  close: () => void;
  submit: ReturnType<typeof useSubmit>;
  children: ReactNode;
}) {
  const t = useText("common");
  const [typed, setTyped] = useState(false);
  useAskToLeave(typed);
  return (
    <Modal onClose={props.close} title={props.title} closeOnClickOutside={!typed} closeButtonProps={{ "aria-label": t.close }}>
      <form {...props.submit.form} className={styles.form} onInput={() => setTyped(true)}>
        <FormError error={props.submit.error} />
        {props.children}
        <div className={styles.buttons}>
          <Button variant="default" onClick={props.close}>
            {t.cancel}
          </Button>
          <Button type="submit" color={props.danger ? "red" : undefined} loading={props.submit.busy}>
            {props.action}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
