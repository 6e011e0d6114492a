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
  /** As #0a7c5a; empty: the default. */
  brand_color: string;
  /** Empty where there is no logo. */
  logo_path: string;
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

const keep = (organization: Organization) => queryClient.setQueryData(organizationQuery.queryKey, organization);

export const sendLogo = (file: File) => send<Organization>("PUT", "/organization/logo", file).then(keep);

export const removeLogo = () => send<Organization>("DELETE", "/organization/logo").then(keep);

/** A change that is made at once, as of a switch. */
export function useChange() {
  return useMutation({ mutationFn: change, onError: toastError }).mutate;
}
