import { TextInput, type TextInputProps } from "@mantine/core";

/** A field for a code of an app, or for a recovery code: phones offer digits, and what they have just received. */
export function CodeInput(props: TextInputProps) {
  return <TextInput required autoComplete="one-time-code" autoCapitalize="off" spellCheck={false} maxLength={40} {...props} />;
}
