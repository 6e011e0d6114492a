import { queryOptions, useQuery } from "@tanstack/react-query";
import { all, get } from "../../api/client";
import { queryClient } from "../../api/queries";

export interface SecretRef {
  id: string;
  created_at: string;
  expires_at: string | null;
}

/** A webhook subscription, as the public API shows it. */
export interface Endpoint {
  id: string;
  url: string;
  description: string | null;
  events: string[];
  status: "active" | "paused" | "disabled";
  disabled_reason: string | null;
  consecutive_failures: number;
  secrets: SecretRef[];
  phone_number_ids: string[];
  created_at: string;
  updated_at: string;
  initial_secret?: string;
}

export const endpointsQuery = queryOptions({
  queryKey: ["webhooks"],
  queryFn: () => all<Endpoint>("/webhook_subscriptions", { query: { limit: 100 } }),
});

export interface Health {
  buckets: { at: string; deliveries: number; waiting: number; failed: number }[];
  recent: { deliveries: number; failed: number; median_ms: number | null };
}

export type HealthRange = "day" | "week" | "month";

export const healthQuery = (id: string, range: HealthRange) =>
  queryOptions({
    queryKey: ["health", id, range],
    queryFn: () => get<Health>(`/webhook_subscriptions/${id}/health`, { query: { range } }),
    refetchInterval: 30_000,
  });

export const endpointQuery = (id: string) =>
  queryOptions({ queryKey: ["webhooks", id], queryFn: () => get<Endpoint>(`/webhook_subscriptions/${id}`) });

/** An endpoint's address without what all of them begin with. */
export function shortURL(url: string): string {
  return url.replace(/^https?:\/\//, "");
}

/** What to call a subscription; one that was deleted has only its id. */
export function useEndpointName(): (id: string) => string {
  const endpoints = useQuery(endpointsQuery).data;
  return (id) => {
    const found = endpoints?.find((endpoint) => endpoint.id === id);
    return found ? shortURL(found.url) : id;
  };
}

/** Fetches again whatever an action at endpoints may have changed. */
export function refreshWebhooks(): void {
  for (const key of ["webhooks", "health", "deliveries", "delivery"]) void queryClient.invalidateQueries({ queryKey: [key] });
}
