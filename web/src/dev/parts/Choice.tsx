import { NativeSelect } from "@mantine/core";
import styles from "./console.module.css";

/** One filter of a list: a choice, of which the first means any. */
export function Choice(props: {
  label: string;
  any: string;
  value: string | undefined;
  options: { value: string; label: string }[];
  change: (value: string | undefined) => void;
}) {
  return (
    <NativeSelect
      className={styles.filter}
      size="sm"
      label={props.label}
      value={props.value ?? ""}
      data={[{ value: "", label: props.any }, ...props.options]}
      onChange={(event) => props.change(event.target.value || undefined)}
    />
  );
}
