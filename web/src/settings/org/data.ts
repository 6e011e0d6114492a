import { queryOptions, useMutation } from "@tanstack/react-query";
import { get, send } from "../../api/client";
import { meQuery, queryClient } from "../../api/queries";
import { toastError } from "../../ui/toasts";

export interface OpenHours {
  day: string;
  opens: string;
  closes: string;
}

export interface Organization {
  id: string;
  name: string;
  time_zone: string;
  mask_numbers: boolean;
  round_robin: boolean;
  second_step: boolean;
  opening_hours: OpenHours[];
  away_message: { on: boolean; text: string };
}

export const organizationQuery = queryOptions({
  queryKey: ["organization"],
  queryFn: () => get<Organization>("/organization"),
});

export async function change(settings: Partial<Organization>): Promise<Organization> {
  const organization = await send<Organization>("PATCH", "/organization", settings);
  queryClient.setQueryData(organizationQuery.queryKey, organization);
  void queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
  return organization;
}

/** A change that is made at once, as of a switch. */
export function useChange() {
  return useMutation({ mutationFn: change, onError: toastError }).mutate;
}
