import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { useText } from "../i18n";
import styles from "./Dialog.module.css";
import { Modal } from "./Modal";

/** Asks before what cannot be undone. */
export function Confirm(props: { title: string; hint: ReactNode; action: string; close: () => void; confirm: () => void }) {
  const common = useText("common");
  return (
    <Modal onClose={props.close} title={props.title} closeButtonProps={{ "aria-label": common.close }}>
      <p>{props.hint}</p>
      <div className={styles.buttons}>
        <Button variant="default" onClick={props.close}>{common.cancel}</Button>
        <Button color="red" onClick={props.confirm}>{props.action}</Button>
      </div>
    </Modal>
  );
}
