import { Select } from "@mantine/core";
import { useState } from "react";
import { useTeams } from "../api/queries";
import { useText } from "../i18n";

/** The team of something new: the first one, until another is chosen. */
export function useTeamChoice() {
  const teams = useTeams();
  const [chosen, choose] = useState<string>();
  return { teams, team: chosen ?? teams[0]?.id, choose };
}

/** Asks for the team, if there are several. */
export function TeamSelect({ choice, error }: { choice: ReturnType<typeof useTeamChoice>; error?: string }) {
  const t = useText("settings");
  if (choice.teams.length < 2) return null;
  return (
    <Select
      label={t.team}
      allowDeselect={false}
      data={choice.teams.map((team) => ({ value: team.id, label: team.name }))}
      value={choice.team}
      error={error}
      onChange={(id) => choice.choose(id ?? undefined)}
    />
  );
}
