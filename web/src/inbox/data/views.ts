import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { all, send } from "../../api/client";
import type { SavedView } from "../../api/types";

export const viewsQuery = queryOptions({ queryKey: ["views"], queryFn: () => all<SavedView>("/views") });

export function useSaveView() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (view: Pick<SavedView, "name" | "filter" | "shared">) => send<SavedView>("POST", "/views", view),
    onSettled: () => client.invalidateQueries({ queryKey: ["views"] }),
  });
}

export function useDeleteView() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => send<unknown>("DELETE", `/views/${id}`),
    onSettled: () => client.invalidateQueries({ queryKey: ["views"] }),
  });
}
