import { Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { send } from "../../api/client";
import { meQuery, queryClient, useMe } from "../../api/queries";
import { useText } from "../../i18n";
import { FormError } from "../../ui/FormError";
import { toast } from "../../ui/toasts";
import { useSubmit } from "../../ui/useSubmit";
import { Panel } from "../Section";
import styles from "./panels.module.css";

export function ProfilePanel() {
  const t = useText("settings");
  const common = useText("common");
  const { user } = useMe();
  const [name, setName] = useState(user.name);
  const { form, busy, error, field } = useSubmit(
    ["name"],
    () => send("PATCH", "/me", { name }),
    () => {
      void queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
      toast(common.saved);
    },
  );
  return (
    <Panel title={t.profile}>
      <form {...form}>
        <FormError error={error} />
        <TextInput
          required
          label={t.name}
          autoComplete="name"
          {...field("name", name, setName)}
        />
        <dl className={styles.facts}>
          <dt>{t.email}</dt>
          <dd>{user.email}</dd>
          <dt>{t.role}</dt>
          <dd>{t.roleNames[user.role]}</dd>
        </dl>
        <Button type="submit" loading={busy} disabled={name.trim() === user.name}>
          {common.save}
        </Button>
      </form>
    </Panel>
  );
}
