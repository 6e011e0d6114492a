import { useMutation, useQueryClient } from "@tanstack/react-query";
import { send } from "../../api/client";
import type { TimelineItem } from "../../api/types";
import { timelineKey } from "./timeline";

interface NoteBody {
  body: string;
  mentions: string[];
}

export function useEditNote(conversation: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...note }: NoteBody & { id: string }) =>
      send<TimelineItem>("PATCH", `/conversations/${conversation}/notes/${id}`, note),
    onSettled: () => client.invalidateQueries({ queryKey: timelineKey(conversation) }),
  });
}

export function useDeleteNote(conversation: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => send<unknown>("DELETE", `/conversations/${conversation}/notes/${id}`),
    onSettled: () => client.invalidateQueries({ queryKey: timelineKey(conversation) }),
  });
}
