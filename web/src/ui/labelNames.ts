import { useTeams } from "../api/queries";
import type { Label, Named } from "../api/types";

/** What labels are called beside each other: with their team where another one has the same name. */
export function labelNames(labels: Label[], teams: Named[]): Map<string, string> {
  const repeats = ({ id, name }: Label) => labels.some((other) => other.name === name && other.id !== id);
  const team = (label: Label) => teams.find((x) => x.id === label.team_id)?.name ?? "";
  const nameOf = (label: Label) => (repeats(label) ? `${label.name} · ${team(label)}` : label.name);
  return new Map(labels.map((label) => [label.id, nameOf(label)]));
}

/** Labels as choices of a field or a menu. */
export function useLabelChoices(labels: Label[]): { value: string; label: string; color: Label["color"] }[] {
  const names = labelNames(labels, useTeams());
  return labels.map(({ id, name, color }) => ({ value: id, label: names.get(id) ?? name, color }));
}
