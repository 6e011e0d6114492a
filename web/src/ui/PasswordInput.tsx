import { PasswordInput as MantinePasswordInput, type PasswordInputProps } from "@mantine/core";
import { useText } from "../i18n";

/** Mantine's field, which does not tell screen readers by itself that its value is wrong, and names its button in English. */
export function PasswordInput(props: PasswordInputProps) {
  const t = useText("common");
  return <MantinePasswordInput aria-invalid={Boolean(props.error)} visibilityToggleButtonProps={{ "aria-label": t.togglePassword }} {...props} />;
}
