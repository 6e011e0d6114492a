import { queryOptions } from "@tanstack/react-query";
import { get } from "../../api/client";
import type { DeliveryHead } from "../events/data";
import { pagesSince, type Filters } from "../parts/filters";

/** A delivery, as the public API shows it. */
export interface Delivery extends DeliveryHead {
  event_id: string;
  next_attempt_at: string | null;
  response_body_snippet: string | null;
  replayed_from: string | null;
  replayed: boolean;
  error_message: string | null;
}

export interface Attempt {
  attempt: number;
  at: string;
  response_status: number | null;
  response_body_snippet: string | null;
  duration_ms: number | null;
  error_code: string | null;
  error_message: string | null;
}

export interface DeliveryDetail extends Delivery {
  payload: unknown;
  attempts: Attempt[];
}

export interface Signature {
  attempt: number;
  timestamp: number;
  body: string | null;
  headers: { name: string; value: string }[];
  secrets: { id: string; hint: string; signature: string }[];
}

export const deliveriesQuery = (filter: Filters) => ({
  ...pagesSince<Delivery>("deliveries", "/webhook_deliveries", "created_after", filter),
  refetchInterval: 10_000,
});

const over = (delivery: DeliveryDetail | undefined) => delivery?.status === "succeeded" || delivery?.status === "dead";

/** It is fetched anew until it is over. */
export const deliveryQuery = (id: string) =>
  queryOptions({
    queryKey: ["delivery", id],
    queryFn: () => get<DeliveryDetail>(`/webhook_deliveries/${id}`),
    refetchInterval: (query) => (over(query.state.data) ? false : 2_000),
  });

export const signatureQuery = (id: string, attempt: number) =>
  queryOptions({
    queryKey: ["delivery", id, "signature", attempt],
    queryFn: () => get<Signature>(`/webhook_deliveries/${id}/signature`, { query: { attempt } }),
  });
