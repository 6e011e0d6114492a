import { Button, Group, TextInput } from "@mantine/core";
import { useState } from "react";
import { useText } from "../../i18n";
import { Modal } from "../../ui/Modal";

interface Props {
  title: string;
  names: string[];
  onDone: (values: Record<string, string> | null) => void;
}

/** Asks for what a canned reply leaves open. */
export default function VariablesDialog({ title, names, onDone }: Props) {
  const t = useText("inbox");
  const common = useText("common");
  const [values, setValues] = useState<Record<string, string>>({});
  const whole = names.every((name) => values[name]?.trim());
  return (
    <Modal onClose={() => onDone(null)} title={title} centered size="sm" closeOnClickOutside={false}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onDone(values);
        }}
      >
        {names.map((name, i) => (
          <TextInput
            key={name}
            label={name}
            mb={10}
            data-autofocus={i === 0 || undefined}
            value={values[name] ?? ""}
            onChange={(event) => setValues({ ...values, [name]: event.target.value })}
          />
        ))}
        <Group justify="flex-end" gap={8}>
          <Button variant="default" onClick={() => onDone(null)}>
            {common.cancel}
          </Button>
          <Button type="submit" disabled={!whole}>
            {t.insert}
          </Button>
        </Group>
      </form>
    </Modal>
  );
}
