import { queryOptions } from "@tanstack/react-query";
import { get } from "../../api/client";
import type { DeliveryHead, EventHead } from "../events/data";
import type { Call } from "../logs/data";

export interface Step {
  kind: "request" | "message" | "status" | "event" | "delivery" | "attempt";
  at: string;
  request?: Call;
  message?: {
    id: string;
    message_id: string | null;
    conversation_id: string;
    direction: "inbound" | "outbound";
    type: string;
    status: string;
    source: string | null;
    preview: string;
    error_code: string | null;
    error_message: string | null;
  };
  event?: EventHead;
  status?: { status: string; error: string | null };
  delivery?: DeliveryHead;
  attempt?: {
    delivery_id: string;
    subscription_id: string;
    attempt: number;
    response_status: number | null;
    error_code: string | null;
    duration_ms: number | null;
  };
}

export interface Story {
  kind: "message" | "request" | "event" | "delivery" | "conversation" | "contact";
  contacts: { id: string; name: string | null; phone_number: string | null }[];
  steps: Step[];
}

export const storyQuery = (id: string) =>
  queryOptions({ queryKey: ["story", id], queryFn: () => get<Story>("/story", { query: { id } }), staleTime: 0 });
