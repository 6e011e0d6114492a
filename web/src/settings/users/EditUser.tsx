import { MultiSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import { send } from "../../api/client";
import { queryClient, useTeams } from "../../api/queries";
import type { User } from "../../api/types";
import { useText } from "../../i18n";
import { FormDialog } from "../../ui/Dialog";
import { toast } from "../../ui/toasts";
import { useSubmit } from "../../ui/useSubmit";
import { RoleFields } from "./RoleFields";

export function EditUser({ user, close }: { user: User; close: () => void }) {
  const t = useText("settings");
  const common = useText("common");
  const all = useTeams();
  const [name, setName] = useState(user.name);
  const [rights, setRights] = useState({ role: user.role, sees: user.sees });
  const [teams, setTeams] = useState(user.teams);
  const submit = useSubmit(
    ["name", "role", "sees", "teams"],
    () => send<User>("PATCH", `/users/${user.id}`, { name, ...rights, teams }),
    () => {
      void queryClient.invalidateQueries();
      toast(common.saved);
      close();
    },
  );
  return (
    <FormDialog title={t.editUser(user.name)} action={common.save} close={close} submit={submit}>
      <TextInput
        required
        label={t.name}
        data-autofocus
        {...submit.field("name", name, setName)}
      />
      <RoleFields values={rights} change={setRights} errorOf={submit.errorOf} />
      <MultiSelect
        label={t.teams}
        data={all.map((team) => ({ value: team.id, label: team.name }))}
        value={teams}
        error={submit.errorOf("teams")}
        onChange={setTeams}
      />
    </FormDialog>
  );
}
