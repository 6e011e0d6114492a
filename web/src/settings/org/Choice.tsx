import { Switch } from "@mantine/core";

/** A switch with a line on what it does. Its name is its label alone, which Mantine would join with that line. */
export function Choice(props: { label: string; hint: string; on: boolean; disabled?: boolean; change: (on: boolean) => void }) {
  return (
    <Switch
      aria-label={props.label}
      label={props.label}
      description={props.hint}
      disabled={props.disabled}
      checked={props.on}
      onChange={(event) => props.change(event.target.checked)}
    />
  );
}
