import { send } from "../../api/client";
import { queryClient, usersQuery } from "../../api/queries";
import type { User } from "../../api/types";
import { useText } from "../../i18n";
import { FormDialog } from "../../ui/Dialog";
import { toast } from "../../ui/toasts";
import { useSubmit } from "../../ui/useSubmit";

/** Asks first: nobody gives the conversations back. */
export function DisableUser({ user, close }: { user: User; close: () => void }) {
  const t = useText("settings");
  const submit = useSubmit(
    [],
    () => send("PATCH", `/users/${user.id}`, { disabled: true }),
    () => {
      void queryClient.invalidateQueries({ queryKey: usersQuery.queryKey });
      toast(t.userDisabled(user.name));
      close();
    },
  );
  return (
    <FormDialog title={t.disableTitle(user.name)} action={t.disable} danger close={close} submit={submit}>
      <p>{t.disableHint}</p>
    </FormDialog>
  );
}
