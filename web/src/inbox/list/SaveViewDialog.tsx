import { Button, Checkbox, Group, Modal, TextInput } from "@mantine/core";
import { useState } from "react";
import { useText } from "../../i18n";
import { toast, toastError } from "../../ui/toasts";
import { useSaveView } from "../data/views";
import { usePlace } from "../place";

/** Gives the present list a name. */
export default function SaveViewDialog({ onClose }: { onClose: () => void }) {
  const t = useText("inbox");
  const common = useText("common");
  const { filter } = usePlace();
  const save = useSaveView();
  const [name, setName] = useState("");
  const [shared, setShared] = useState(false);
  const submit = () =>
    save.mutate(
      { name: name.trim(), filter, shared },
      {
        onError: toastError,
        onSuccess: () => {
          toast(common.saved);
          onClose();
        },
      },
    );
  return (
    <Modal
      opened
      onClose={onClose}
      title={t.saveView}
      centered
      size="sm"
      closeButtonProps={{ "aria-label": common.close }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <TextInput
          label={t.viewName}
          value={name}
          maxLength={100}
          data-autofocus
          onChange={(e) => setName(e.target.value)}
        />
        <Checkbox my={14} label={t.viewShared} checked={shared} onChange={(e) => setShared(e.target.checked)} />
        <Group justify="flex-end" gap={8}>
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" disabled={!name.trim()} loading={save.isPending}>
            {common.save}
          </Button>
        </Group>
      </form>
    </Modal>
  );
}
