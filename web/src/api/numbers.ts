import { keepPreviousData, queryOptions, useQueries, useQuery, type QueryClient } from "@tanstack/react-query";
import { get, list } from "./client";
import { useMe } from "./queries";
import type { BusinessNumber, KnownNumber } from "./types";

// Every key begins with "numbers", so that one hint makes all of them old.
export const numberQuery = (id: string) =>
  queryOptions({ queryKey: ["numbers", id], queryFn: () => get<BusinessNumber>(`/${id}/number`) });

/** The numbers among several that have an id, which they get when they are connected. */
const withId = (numbers: BusinessNumber[]): KnownNumber[] =>
  numbers.flatMap((n) => (n.phone_number_id ? [{ ...n, phone_number_id: n.phone_number_id }] : []));

/** A list says of a number all that there is to say. */
function remember(client: QueryClient, numbers: BusinessNumber[]): void {
  for (const n of numbers) if (n.phone_number_id) client.setQueryData(numberQuery(n.phone_number_id).queryKey, n);
}

/** The numbers that the server finds for some words, as many as anybody looks through. */
export const numberSearchQuery = (words: string) =>
  queryOptions({
    queryKey: ["numbers", "search", words],
    queryFn: async ({ client, signal }) => {
      const { data } = await list<BusinessNumber>("/numbers", { query: { q: words, limit: 50 }, signal });
      remember(client, data);
      return withId(data);
    },
    placeholderData: keepPreviousData,
  });

export interface FoundNumber {
  /** Undefined until it has come, and where there is no such number. */
  number: KnownNumber | undefined;
  /** Whether it is on its way. */
  coming: boolean;
}

/** Different numbers by their ids: those that are known from the start at once, others when they have come. */
export function useNumbers(ids: string[]): FoundNumber[] {
  const { numbers } = useMe();
  const known = ids.map((id) => numbers.find((n) => n.phone_number_id === id));
  const asked = useQueries({ queries: ids.map((id, i) => ({ ...numberQuery(id), enabled: known[i] === undefined })) });
  return asked.map(({ data, isLoading }, i) => ({ number: known[i] ?? withId(data ? [data] : [])[0], coming: isLoading }));
}

/** A number by its id. */
export function useNumber(id: string | null | undefined): FoundNumber {
  return useNumbers(id ? [id] : [])[0] ?? { number: undefined, coming: false };
}

const ofTeamQuery = (team: string) =>
  queryOptions({
    queryKey: ["numbers", "team", team],
    queryFn: async () => withId((await list<BusinessNumber>("/numbers", { query: { team_id: team, limit: 1 } })).data)[0] ?? null,
  });

/** A number of a team; the newest of all where the team has none, or none is asked for. */
export function useNumberOfTeam(team: string | null): KnownNumber | undefined {
  const { numbers, more_numbers } = useMe();
  const known = numbers.find((n) => team === null || n.team_id === team);
  const { data, isLoading } = useQuery({ ...ofTeamQuery(team ?? ""), enabled: more_numbers && known === undefined });
  return known ?? (isLoading ? undefined : (data ?? numbers[0]));
}
