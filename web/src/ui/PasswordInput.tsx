import { PasswordInput as MantinePasswordInput, type PasswordInputProps } from "@mantine/core";

/** Mantine's field, which does not tell screen readers by itself that its value is wrong. */
export function PasswordInput(props: PasswordInputProps) {
  return <MantinePasswordInput aria-invalid={Boolean(props.error)} {...props} />;
}
