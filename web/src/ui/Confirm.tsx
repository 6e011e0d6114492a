import { Button } from "@mantine/core";
import { useText } from "../i18n";
import { Modal } from "../ui/Modal";
import styles from "./Broadcasts.module.css";

/** Asks before what cannot be undone. */
export function Confirm(props: { title: string; hint: React.ReactNode; action: string; close: () => void; confirm: () => void }) {
  const common = useText("common");
  return (
    <Modal onClose={props.close} title={props.title} closeButtonProps={{ "aria-label": common.close }}>
      <p>{props.hint}</p>
      <div className={styles.foot}>
        <Button variant="default" onClick={props.close}>{common.cancel}</Button>
        <Button color="red" onClick={props.confirm}>{props.action}</Button>
      </div>
    </Modal>
  );
}
