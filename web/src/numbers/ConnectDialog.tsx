import { NativeSelect } from "@mantine/core";
import { useState } from "react";
import { useTeams } from "../api/queries";
import { FormDialog } from "../ui/Dialog";
import { useSubmit } from "../ui/useSubmit";
import { connectAddress } from "./data";
import { useNumbers } from "./text";

/** Sends the browser to where a number of one's own is connected. team: of a number that is taken up again. */
export function ConnectDialog({ close, team: given }: { close: () => void; team?: string }) {
  const t = useNumbers();
  const teams = useTeams();
  const [chosen, setChosen] = useState<string>();
  const team = given ?? chosen ?? (teams.length > 1 ? teams[0]?.id : undefined);
  const submit = useSubmit(["team_id"], () => connectAddress(team), ({ setup_url }) => location.assign(setup_url));
  return (
    <FormDialog title={given ? t.reconnect : t.connect} action={t.connectGo} close={close} submit={submit}>
      <p>{t.connectHint}</p>
      {!given && teams.length > 1 && (
        <NativeSelect
          label={t.team}
          description={t.teamHint}
          value={team}
          error={submit.errorOf("team_id")}
          data={teams.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(event) => setChosen(event.target.value)}
        />
      )}
    </FormDialog>
  );
}
