import { Modal as Mantine, type ModalProps } from "@mantine/core";
import { useFocusBack } from "./useFocusBack";

/** A dialog that is drawn while it is needed. */
export function Modal(props: Omit<ModalProps, "opened">) {
  useFocusBack();
  return <Mantine opened {...props} />;
}
