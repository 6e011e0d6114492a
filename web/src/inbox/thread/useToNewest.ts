import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { toastError } from "../../ui/toasts";
import { showNewest } from "../data/timeline";
import { usePlace } from "../place";

/** Shows the newest end of a thread, from wherever in it one was. */
export function useToNewest(id: string): () => void {
  const client = useQueryClient();
  const { open } = usePlace();
  return useCallback(() => void showNewest(client, id).then(() => open(id), toastError), [client, id, open]);
}
