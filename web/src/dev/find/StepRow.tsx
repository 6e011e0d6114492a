import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Clock } from "../parts/Clock";
import { duration } from "../parts/format";
import { useDev } from "../text";
import { useEndpointName } from "../webhooks/data";
import type { Step } from "./data";

function kindOf(step: Step): "bad" | "wait" | undefined {
  if (step.attempt?.error_code || step.message?.status === "failed" || step.status?.status === "failed") return "bad";
  if (step.request) return step.request.status >= 400 ? "bad" : undefined;
  if (step.delivery) return ({ succeeded: undefined, pending: "wait", failed: "bad", dead: "bad" } as const)[step.delivery.status];
}

function Said({ step }: { step: Step }): ReactNode {
  const t = useDev();
  const nameOf = useEndpointName();
  const { request, message, event, status, delivery, attempt } = step;
  if (request) return t.storyRequest(`${request.method} ${request.path}`, request.status, duration(request.latency_ms));
  if (message) return t.storyMessage(message.direction, message.type, message.preview, message.status);
  if (status) return t.storyStatus(status.status, status.error);
  if (event) return t.storyEvent(event.type);
  if (delivery) return t.storyDelivery(nameOf(delivery.subscription_id), t.deliveryStates[delivery.status]);
  if (attempt) return t.storyAttempt(attempt.attempt, String(attempt.response_status ?? attempt.error_code), duration(attempt.duration_ms));
}

function Way({ step }: { step: Step }) {
  const t = useDev();
  const { request, message, event, delivery, attempt } = step;
  if (request) return <Link to="/dev/logs" search={{ id: request.id }}>{request.id}</Link>;
  if (message) {
    return (
      <>
        <Link to="/dev/find" search={{ id: message.id }}>{message.id}</Link> ·{" "}
        <Link to="/inbox/$view/{-$conversation}" params={{ view: "all", conversation: message.conversation_id }} search={{ item: message.id }}>
          {t.inInbox}
        </Link>
      </>
    );
  }
  if (event) return <Link to="/dev/events" search={{ id: event.id }}>{event.id}</Link>;
  const id = delivery?.id ?? attempt?.delivery_id ?? "";
  return <Link to="/dev/deliveries" search={{ id }}>{id}</Link>;
}

export function StepRow({ step }: { step: Step }) {
  return (
    <li data-kind={kindOf(step)}>
      <Said step={step} />
      {step.message?.error_message && <small>{step.message.error_message}</small>}
      {step.request?.message && <small>{step.request.message}</small>}
      <small>
        <Clock value={step.at} /> · <span className="mono"><Way step={step} /></span>
      </small>
    </li>
  );
}
