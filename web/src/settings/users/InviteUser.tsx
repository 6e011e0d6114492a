import { TextInput } from "@mantine/core";
import { useState } from "react";
import { send } from "../../api/client";
import { queryClient, usersQuery } from "../../api/queries";
import type { Link, User } from "../../api/types";
import { useText } from "../../i18n";
import { FormDialog } from "../../ui/Dialog";
import { useSubmit } from "../../ui/useSubmit";
import { TeamSelect, useTeamChoice } from "../TeamSelect";
import { RoleFields, type RoleValues } from "./RoleFields";

export function InviteUser(props: { close: () => void; showLink: (user: User, link: Link) => void }) {
  const t = useText("settings");
  const choice = useTeamChoice();
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [rights, setRights] = useState<RoleValues>({ role: "agent", sees: "all" });
  const submit = useSubmit(
    ["name", "email", "role", "sees", "team_id"],
    () => send<{ user: User; link: Link }>("POST", "/users", { name, email, ...rights, team_id: choice.team }),
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
      <TeamSelect choice={choice} error={submit.errorOf("team_id")} />
    </FormDialog>
  );
}
