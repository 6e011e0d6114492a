import { Button, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useText } from "../i18n";
import { messageOf } from "../ui/messages";
import { toast } from "../ui/toasts";
import { useAddHandset } from "./data";

/** Makes a phone for another person. */
export function HandsetForm({ opened, close, added }: { opened: boolean; close: () => void; added: (id: string) => void }) {
  const t = useText("phone");
  const add = useAddHandset();
  const [name, setName] = useState("");
  const [number, setNumber] = useState("");
  const submit = (event: { preventDefault(): void }) => {
    event.preventDefault();
    add.mutate(
      { name, phone_number: number },
      {
        onSuccess: (handset) => {
          toast(t.added(handset.name));
          setName("");
          setNumber("");
          added(handset.id);
          close();
        },
      },
    );
  };
  return (
    <Modal opened={opened} onClose={close} title={t.addTitle} centered size="sm">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <Text c="dimmed" size="sm">
            {t.addHint}
          </Text>
          <TextInput label={t.name} value={name} maxLength={60} required data-autofocus onChange={(event) => setName(event.currentTarget.value)} />
          <TextInput
            label={t.number}
            description={t.numberHint}
            type="tel"
            value={number}
            required
            error={add.error && messageOf(add.error)}
            onChange={(event) => setNumber(event.currentTarget.value)}
          />
          <Button type="submit" loading={add.isPending}>
            {t.add}
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}
