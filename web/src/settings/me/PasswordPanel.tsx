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
  const { form, busy, error, errorOf } = useSubmit(
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
          value={current}
          error={errorOf("current_password")}
          onChange={(event) => setCurrent(event.target.value)}
        />
        <PasswordInput
          required
          label={t.newPassword}
          description={t.passwordHint}
          autoComplete="new-password"
          value={next}
          error={errorOf("new_password")}
          onChange={(event) => setNext(event.target.value)}
        />
        <Button type="submit" loading={busy} disabled={!current || !next}>
          {t.passwordSave}
        </Button>
      </form>
    </Panel>
  );
}
