import { Select, TextInput } from "@mantine/core";
import { useState } from "react";
import { send } from "../../api/client";
import { queryClient, usersQuery, useTeams } from "../../api/queries";
import type { Link, User } from "../../api/types";
import { useText } from "../../i18n";
import { FormDialog } from "../../ui/Dialog";
import { useSubmit } from "../../ui/useSubmit";
import { RoleFields, type RoleValues } from "./RoleFields";

export function InviteUser(props: { close: () => void; showLink: (user: User, link: Link) => void }) {
  const t = useText("settings");
  const teams = useTeams();
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [rights, setRights] = useState<RoleValues>({ role: "agent", sees: "all" });
  const [chosen, setChosen] = useState<string>();
  const team = chosen ?? teams[0]?.id;
  const submit = useSubmit(
    ["name", "email", "role", "sees", "team_id"],
    () => send<{ user: User; link: Link }>("POST", "/users", { name, email, ...rights, team_id: team }),
    (made) => {
      void queryClient.invalidateQueries(usersQuery);
      props.showLink(made.user, made.link);
    },
  );
  return (
    <FormDialog title={t.inviteTitle} action={t.inviteMake} close={props.close} submit={submit}>
      <p>{t.inviteHint}</p>
      <TextInput
        required
        label={t.name}
        data-autofocus
        {...submit.field("name", name, setName)}
      />
      <TextInput
        required
        label={t.email}
        type="email"
        {...submit.field("email", email, setEmail)}
      />
      <RoleFields values={rights} change={setRights} errorOf={submit.errorOf} />
      {teams.length > 1 && (
        <Select
          label={t.team}
          allowDeselect={false}
          data={teams.map((team) => ({ value: team.id, label: team.name }))}
          value={team}
          error={submit.errorOf("team_id")}
          onChange={(id) => setChosen(id ?? undefined)}
        />
      )}
    </FormDialog>
  );
}
