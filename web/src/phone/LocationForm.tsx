import { Button, Group, Modal, NumberInput, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { useText } from "../i18n";
import type { Writing } from "./data";

interface Props {
  opened: boolean;
  close: () => void;
  write: (writing: Writing) => Promise<boolean>;
}

export function LocationForm({ opened, close, write }: Props) {
  const t = useText("phone");
  const [name, setName] = useState("Monas, Jakarta");
  const [latitude, setLatitude] = useState<string | number>(-6.1754);
  const [longitude, setLongitude] = useState<string | number>(106.8272);
  const submit = async (event: { preventDefault(): void }) => {
    event.preventDefault();
    close();
    await write({ type: "location", location: { name, latitude: Number(latitude), longitude: Number(longitude) } });
  };
  return (
    <Modal opened={opened} onClose={close} title={t.locationTitle} centered size="sm">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <TextInput label={t.place} value={name} maxLength={100} onChange={(event) => setName(event.currentTarget.value)} data-autofocus />
          <Group grow>
            <NumberInput label={t.latitude} value={latitude} onChange={setLatitude} min={-90} max={90} required hideControls />
            <NumberInput label={t.longitude} value={longitude} onChange={setLongitude} min={-180} max={180} required hideControls />
          </Group>
          <Button type="submit" disabled={latitude === "" || longitude === ""}>
            {t.sendLocation}
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}
