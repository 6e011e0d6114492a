import { Button, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { send } from "../../api/client";
import { queryClient, teamsQuery } from "../../api/queries";
import type { Team } from "../../api/types";
import { useText } from "../../i18n";
import { FormDialog } from "../../ui/Dialog";
import { EmptyState } from "../../ui/EmptyState";
import { IconButton } from "../../ui/IconButton";
import { Icon } from "../../ui/icons";
import { Loaded } from "../../ui/Loaded";
import { toast } from "../../ui/toasts";
import { useSubmit } from "../../ui/useSubmit";
import { AdminsOnly } from "../AdminsOnly";
import { Row, Rows } from "../Rows";
import { Section } from "../Section";

function EditTeam({ team, close }: { team?: Team; close: () => void }) {
  const t = useText("settings");
  const common = useText("common");
  const [name, setName] = useState(team?.name ?? "");
  const submit = useSubmit(
    ["name"],
    () => (team ? send("PATCH", `/teams/${team.id}`, { name }) : send("POST", "/teams", { name })),
    () => {
      void queryClient.invalidateQueries(teamsQuery);
      toast(common.saved);
      close();
    },
  );
  return (
    <FormDialog title={team ? t.editTeam(team.name) : t.teamNew} action={common.save} close={close} submit={submit}>
      <TextInput
        required
        label={t.name}
        data-autofocus
        {...submit.field("name", name, setName)}
      />
    </FormDialog>
  );
}

export default function TeamsPage() {
  return (
    <AdminsOnly>
      <Teams />
    </AdminsOnly>
  );
}

function Teams() {
  const t = useText("settings");
  const teams = useQuery(teamsQuery);
  const [edited, setEdited] = useState<Team | "new">();
  const add = (
    <Button leftSection={<Icon name="plus" size={18} />} onClick={() => setEdited("new")}>
      {t.teamNew}
    </Button>
  );
  return (
    <Section title={t.teams} hint={t.teamsHint} action={Boolean(teams.data?.length) && add}>
      <Loaded query={teams}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon="people" title={t.teamsNone} action={add} />
          ) : (
            <Rows label={t.teams}>
              {list.map((team) => (
                <Row
                  key={team.id}
                  name={team.name}
                  detail={t.members(team.members.length)}
                  actions={
                    <IconButton
                      icon="pencil"
                      label={t.editTeam(team.name)}
                      iconSize={18}
                      size={36}
                      onClick={() => setEdited(team)}
                    />
                  }
                />
              ))}
            </Rows>
          )
        }
      </Loaded>
      {edited && <EditTeam team={edited === "new" ? undefined : edited} close={() => setEdited(undefined)} />}
    </Section>
  );
}
