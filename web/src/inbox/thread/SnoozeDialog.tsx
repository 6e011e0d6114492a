import { Button, Group } from "@mantine/core";
import { useState } from "react";
import { useText } from "../../i18n";
import { Modal } from "../../ui/Modal";
import { useNow } from "../../ui/times";

const pad = (n: number) => String(n).padStart(2, "0");
const localValue = (d: Date) =>
  `${d.getFullYear()}-${pad(d.getMonth() + 1)}-${pad(d.getDate())}T${pad(d.getHours())}:${pad(d.getMinutes())}`;

/** Asks for a date and a time, in the reader's zone. */
export default function SnoozeDialog(props: { onClose: () => void; onChoose: (until: string) => void }) {
  const t = useText("inbox");
  const common = useText("common");
  const [value, setValue] = useState(() => localValue(new Date(Date.now() + 86_400_000)));
  const at = new Date(value);
  const future = at > useNow(1000);
  return (
    <Modal onClose={props.onClose} title={t.snoozeDate} centered size="sm">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          props.onChoose(at.toISOString());
          props.onClose();
        }}
      >
        <label htmlFor="snooze-until">{t.snoozeWhen}</label>
        <input
          id="snooze-until"
          type="datetime-local"
          required
          value={value}
          onChange={(event) => setValue(event.target.value)}
          style={{ display: "block", width: "100%", height: 36, margin: "6px 0 16px", font: "inherit" }}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={props.onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" disabled={!future}>
            {t.snooze}
          </Button>
        </Group>
      </form>
    </Modal>
  );
}
