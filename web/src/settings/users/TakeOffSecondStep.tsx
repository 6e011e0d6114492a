import { send } from "../../api/client";
import { queryClient, usersQuery } from "../../api/queries";
import type { User } from "../../api/types";
import { FormDialog } from "../../ui/Dialog";
import { toast } from "../../ui/toasts";
import { useSubmit } from "../../ui/useSubmit";
import { useSecurity } from "../security/text";

/** Asks first: whoever asks an admin for this may be somebody else. */
export function TakeOffSecondStep({ user, close }: { user: User; close: () => void }) {
  const t = useSecurity();
  const submit = useSubmit(
    [],
    () => send("DELETE", `/users/${user.id}/second-step`),
    () => {
      void queryClient.invalidateQueries({ queryKey: usersQuery.queryKey });
      toast(t.takenOff(user.name));
      close();
    },
  );
  return (
    <FormDialog title={t.takeOffTitle(user.name)} action={t.takeOff} danger close={close} submit={submit}>
      <p>{t.takeOffHint}</p>
    </FormDialog>
  );
}
