import { queryOptions } from "@tanstack/react-query";
import { all, get } from "../../api/client";
import { pagesSince, type Filters } from "../parts/filters";

export interface EventHead {
  id: string;
  type: string;
  source: "provider" | "svc";
  event_id: string;
  phone_number_id: string | null;
  sample: boolean;
  created_at: string;
}

export type DeliveryStatus = "pending" | "succeeded" | "failed" | "dead";

export interface DeliveryHead {
  id: string;
  subscription_id: string;
  event_type: string;
  status: DeliveryStatus;
  attempt_count: number;
  response_status: number | null;
  error_code: string | null;
  duration_ms: number | null;
  last_attempt_at: string | null;
  created_at: string;
}

export interface EventDetail extends EventHead {
  payload: unknown;
  deliveries: DeliveryHead[];
}

export interface EventType {
  type: string;
  sample: unknown;
}

export const eventsQuery = (filter: Filters) => pagesSince<EventHead>("events", "/events", "from", filter);
export const eventQuery = (id: string) => queryOptions({ queryKey: ["event", id], queryFn: () => get<EventDetail>(`/events/${id}`) });
export const eventTypesQuery = queryOptions({ queryKey: ["event types"], queryFn: () => all<EventType>("/event_types") });
