import { TextInput } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { FormDialog } from "../../ui/Dialog";
import type { useSubmit } from "../../ui/useSubmit";
import { useDev } from "../text";

/** Asks for the name of what will be gone, so that nobody does it by a slip. */
export function ByName(props: {
  title: string;
  hint: string;
  name: string;
  action: string;
  submit: ReturnType<typeof useSubmit>;
  close: () => void;
  /** More on what will be gone. */
  children?: ReactNode;
}) {
  const t = useDev();
  const [typed, setTyped] = useState("");
  const [wrong, setWrong] = useState(false);
  const { form } = props.submit;
  const guarded = {
    ...props.submit,
    form: {
      ...form,
      onSubmit: (event: Parameters<typeof form.onSubmit>[0]) => {
        if (typed.trim() === props.name) return form.onSubmit(event);
        event.preventDefault();
        setWrong(true);
      },
    },
  };
  return (
    <FormDialog title={props.title} action={props.action} danger close={props.close} submit={guarded}>
      <p>{props.hint}</p>
      {props.children}
      <TextInput
        label={t.typeName(props.name)}
        data-autofocus
        autoComplete="off"
        value={typed}
        error={wrong && typed.trim() !== props.name ? t.nameDiffers : undefined}
        onChange={(event) => setTyped(event.target.value)}
      />
    </FormDialog>
  );
}
