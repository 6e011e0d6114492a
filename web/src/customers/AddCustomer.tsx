import { NativeSelect, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { send } from "../api/client";
import { queryClient, useTeams } from "../api/queries";
import { FormDialog } from "../ui/Dialog";
import { toast } from "../ui/toasts";
import { useSubmit } from "../ui/useSubmit";
import type { Customer } from "./data";
import { useCustomers } from "./text";

export function AddCustomer({ close }: { close: () => void }) {
  const t = useCustomers();
  const teams = useTeams();
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [chosen, setChosen] = useState<string>();
  const team = chosen ?? (teams.length > 1 ? teams[0]?.id : undefined);
  const submit = useSubmit(
    ["name", "email", "team_id"],
    () => send<Customer>("POST", "/customers", { name, email: email.trim() || undefined, team_id: team }),
    (made) => {
      void queryClient.invalidateQueries({ queryKey: ["customers"] });
      toast(t.added(made.name));
      void navigate({ to: "/customers/$id", params: { id: made.id } });
    },
  );
  return (
    <FormDialog title={t.add} action={t.add} close={close} submit={submit}>
      <TextInput
        required label={t.name} data-autofocus maxLength={200} value={name} error={submit.errorOf("name")}
        onChange={(event) => setName(event.target.value)}
      />
      <TextInput label={t.email} type="email" maxLength={255} {...submit.field("email", email, setEmail)} />
      {teams.length > 1 && (
        <NativeSelect
          label={t.team}
          description={t.teamHint}
          value={team}
          error={submit.errorOf("team_id")}
          data={teams.map((each) => ({ value: each.id, label: each.name }))}
          onChange={(event) => setChosen(event.target.value)}
        />
      )}
    </FormDialog>
  );
}
