import { QueryCache, QueryClient, queryOptions, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { all, ApiError, get } from "./client";
import type { Counts, Label, Me, Named, Person, Reply, Session, Team, User } from "./types";

/** Worth another try: the server was not reached, or said that this passes. What took too long has taken long enough. */
function passes(error: unknown): boolean {
  return error instanceof ApiError && (error.code === "offline" || error.status === 429 || error.status >= 502);
}

/** What an admin has turned on since this page was opened. The page shows the set-up once it knows. */
function noticeSetUp(error: unknown): void {
  if (error instanceof ApiError && error.code === "second_step_setup_required") void queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeSetUp }),
  defaultOptions: {
    queries: {
      // The stream says when something changed, so what was fetched stays good until then.
      staleTime: Infinity,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      networkMode: "always",
      retry: (failures, error) => failures < 3 && passes(error),
    },
    mutations: { networkMode: "always" },
  },
});

export const meQuery = queryOptions({ queryKey: ["me"], queryFn: () => get<Me>("/me") });
export const sessionsQuery = queryOptions({ queryKey: ["sessions"], queryFn: () => all<Session>("/me/sessions") });
export const peopleQuery = queryOptions({ queryKey: ["people"], queryFn: () => all<Person>("/people") });
export const usersQuery = queryOptions({ queryKey: ["users"], queryFn: () => all<User>("/users") });
export const teamsQuery = queryOptions({ queryKey: ["teams"], queryFn: () => all<Team>("/teams") });
export const labelsQuery = queryOptions({
  queryKey: ["labels"],
  queryFn: async () => (await all<Label>("/labels")).toSorted((a, b) => a.name.localeCompare(b.name)),
});
export const repliesQuery = queryOptions({ queryKey: ["replies"], queryFn: () => all<Reply>("/replies") });

/** How many conversations each view has, all of them or those of one number. */
export const countsQuery = (number?: string) =>
  queryOptions({
    queryKey: ["counts", number ?? ""],
    queryFn: ({ signal }) => get<Counts>("/conversations/counts", { query: { number }, signal }),
  });

/** The person who is signed in. The router loads it before any page inside the shell. */
export function useMe(): Me {
  return useSuspenseQuery(meQuery).data;
}

/** Whether the user may change what only owners and admins may. */
export function useIsAdmin(): boolean {
  return useMe().user.role !== "agent";
}

/** Whether the user may do what concerns everybody who writes with a number. */
export function useSeesEverybody(): boolean {
  return useMe().user.sees !== "assigned";
}

/** The teams that the user may choose from: all of them, or the user's own. */
export function useTeams(): Named[] {
  const me = useMe();
  const all = useQuery({ ...teamsQuery, enabled: useIsAdmin() }).data;
  return all ?? me.teams;
}
