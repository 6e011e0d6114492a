import { Button } from "@mantine/core";
import { useState } from "react";
import { send } from "../../api/client";
import { queryClient, sessionsQuery, useMe } from "../../api/queries";
import { useText } from "../../i18n";
import { FormError } from "../../ui/FormError";
import { PasswordInput } from "../../ui/PasswordInput";
import { toast } from "../../ui/toasts";
import { useSubmit } from "../../ui/useSubmit";
import { Panel } from "../Section";

export function PasswordPanel() {
  const t = useText("settings");
  const { user } = useMe();
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const { form, busy, error, field } = useSubmit(
    ["current_password", "new_password"],
    () => send("POST", "/me/password", { current_password: current, new_password: next }),
    () => {
      setCurrent("");
      setNext("");
      void queryClient.invalidateQueries(sessionsQuery);
      toast(t.passwordChanged);
    },
  );
  return (
    <Panel title={t.changePassword}>
      <form {...form}>
        <FormError error={error} />
        {/* Password managers keep the new password under this name. */}
        <input type="text" autoComplete="username" value={user.email} readOnly hidden />
        <PasswordInput
          required
          label={t.currentPassword}
          autoComplete="current-password"
          {...field("current_password", current, setCurrent)}
        />
        <PasswordInput
          required
          label={t.newPassword}
          description={t.passwordHint}
          autoComplete="new-password"
          {...field("new_password", next, setNext)}
        />
        <Button type="submit" loading={busy} disabled={!current || !next}>
          {t.passwordSave}
        </Button>
      </form>
    </Panel>
  );
}
