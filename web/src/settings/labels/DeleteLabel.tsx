import { send } from "../../api/client";
import { queryClient } from "../../api/queries";
import type { Label } from "../../api/types";
import { useText } from "../../i18n";
import { FormDialog } from "../../ui/Dialog";
import { useSubmit } from "../../ui/useSubmit";

/** Asks first: the label would have to be put back on everything by hand. */
export function DeleteLabel({ label, close }: { label: Label; close: () => void }) {
  const t = useText("settings");
  const common = useText("common");
  const submit = useSubmit(
    [],
    () => send("DELETE", `/labels/${label.id}`),
    () => {
      void queryClient.invalidateQueries();
      close();
    },
  );
  return (
    <FormDialog title={t.labelDelete(label.name)} action={common.delete} danger close={close} submit={submit}>
      <p>{t.labelDeleteHint}</p>
    </FormDialog>
  );
}
