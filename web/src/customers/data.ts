import { queryOptions } from "@tanstack/react-query";
import { all, get, pages } from "../api/client";

export type CustomerStatus = "pending" | "active" | "suspended" | "archived";
export const statuses: CustomerStatus[] = ["pending", "active", "suspended", "archived"];

export interface Customer {
  id: string;
  name: string;
  email: string | null;
  status: CustomerStatus;
  team_id: string;
  archived_at: string | null;
  created_at: string;
  whatsapp_accounts?: { phone_number_id: string | null; phone_number: string | null; name: string | null; status: string; onboarded_at: string }[];
}

export interface SetupLink {
  id: string;
  status: "active" | "consumed" | "expired" | "revoked";
  token_last4: string;
  expires_at: string;
  consumed_at: string | null;
  created_at: string;
  /** Only where it has just been made. */
  setup_url?: string;
}

export interface CustomerHoldings {
  numbers: number;
  queued: number;
  running_broadcasts: number;
  active_links: number;
}

/** What of the list is shown; it is in the address. */
export interface CustomersSearch {
  search?: string;
  status?: CustomerStatus;
}

export const customersQuery = (filter: CustomersSearch) => ({
  ...pages<Customer>(["customers", "list", filter], "/customers", { ...filter }),
  placeholderData: <T>(before: T | undefined) => before,
});

export const customerQuery = (id: string) =>
  queryOptions({ queryKey: ["customers", id], queryFn: () => get<Customer>(`/customers/${id}`) });

export const linksQuery = (id: string) =>
  queryOptions({ queryKey: ["customers", id, "links"], queryFn: () => all<SetupLink>(`/customers/${id}/setup_links`) });

export const customerHoldingsQuery = (id: string) =>
  queryOptions({ queryKey: ["customer holdings", id], queryFn: () => get<CustomerHoldings>(`/customers/${id}/holdings`), staleTime: 0 });

export const tagKind = (status: string) => (status === "suspended" ? "red" : status === "pending" ? "amber" : undefined);
