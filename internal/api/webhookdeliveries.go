package api

import (
	"net/http"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerWebhookDeliveries(a *API) {
	rest.List(a.shared, rest.Operation{
		Method: http.MethodGet, Path: "/webhook_deliveries", ID: "listWebhookDeliveries", Tag: "Webhooks", Role: chat.RoleAdmin,
		Summary: "List webhook deliveries, newest first", Description: "Deliveries are kept for 30 days.",
		Errors: []chat.Code{chat.CodeInvalidEventType},
	}, listWebhookDeliveries)

	rest.Write(a.shared, rest.Operation{
		Method: http.MethodPost, Path: "/webhook_deliveries/bulk_replay", ID: "bulkReplayWebhookDeliveries", Tag: "Webhooks", Role: chat.RoleAdmin,
		Summary: "Replay failed deliveries of a subscription",
		Description: "At most 1,000 a call, oldest first. When capped is true there are more: call again. A delivery that was replayed " +
			"before is not taken again, so that a call that is repeated sends nothing twice. Attempts that were still scheduled are called off, " +
			"as with the replay of one delivery.",
		Errors: []chat.Code{chat.CodeInvalidEventType, chat.CodeWebhookSubscriptionDisabled, chat.CodeResourceNotFound},
	}, bulkReplay)

	rest.Read(a.shared, rest.Operation{
		Method: http.MethodGet, Path: "/webhook_deliveries/{id}", ID: "getWebhookDelivery", Tag: "Webhooks", Role: chat.RoleAdmin,
		Summary:     "Get a webhook delivery with its payload and attempts",
		Description: "`payload` is what was posted, byte for byte; each attempt has its time, its duration and what the endpoint answered.",
	}, getWebhookDelivery)

	rest.Write(a.shared, rest.Operation{
		Method: http.MethodPost, Path: "/webhook_deliveries/{id}/replay", ID: "replayWebhookDelivery", Tag: "Webhooks", Role: chat.RoleAdmin,
		Summary: "Replay a webhook delivery",
		Description: "Makes a new delivery of the same event, with the same event id. It can be done once the delivery was attempted, " +
			"however that ended. Attempts that were still scheduled are called off: the old delivery is dead then, with the error code replayed. " +
			"An attempt that is under way goes on, and is recorded as it ends.",
		Errors: []chat.Code{chat.CodeWebhookSubscriptionDisabled},
		InPath: func(c *rest.Call, r store.Reader) error {
			_, err := core.WebhookDelivery(r, c.OrgID(), c.PathValue(0))
			return err
		},
	}, replayWebhookDelivery)
}

type webhookDeliveryView struct {
	ID                  rest.DeliveryID     `json:"id"`
	Object              string              `json:"object" enum:"webhook_delivery"`
	SubscriptionID      rest.SubscriptionID `json:"subscription_id"`
	EventType           string              `json:"event_type"`
	EventID             string              `json:"event_id" doc:"Equal to the X-Svc-Event-Id header: the same for every repetition of the event."`
	Status              chat.DeliveryStatus `json:"status" doc:"failed: the last attempt failed and another is scheduled. dead: there will be no other."`
	AttemptCount        int64               `json:"attempt_count" minimum:"0"`
	LastAttemptAt       *rest.Instant       `json:"last_attempt_at" nullable:"true"`
	NextAttemptAt       *rest.Instant       `json:"next_attempt_at" nullable:"true" doc:"The earliest instant of the next attempt. While the endpoint is spared because it kept failing, that is when one delivery tries it again. Null while the subscription is paused, and once the delivery is over."`
	ResponseStatus      *int64              `json:"response_status" nullable:"true" doc:"What the endpoint answered last."`
	ResponseBodySnippet *string             `json:"response_body_snippet" nullable:"true" doc:"The beginning of that answer."`
	DurationMS          *int64              `json:"duration_ms" nullable:"true"`
	ReplayedFrom        *string             `json:"replayed_from" nullable:"true" doc:"The delivery that this one replays."`
	Replayed            bool                `json:"replayed" doc:"Whether the delivery was replayed. The newer deliveries have the same event_id."`
	ErrorCode           *string             `json:"error_code" nullable:"true" doc:"Why it could not be delivered: what was wrong with the last attempt, or why there will be no other (subscription_disabled, subscription_deleted, replayed, payload_removed)."`
	ErrorMessage        *string             `json:"error_message" nullable:"true"`
	CreatedAt           rest.Instant        `json:"created_at"`

	Payload  rest.AnyJSON          `json:"payload,omitzero" doc:"What is delivered. Not in lists."`
	Attempts []deliveryAttemptView `json:"attempts,omitzero" doc:"All attempts, oldest first. Not in lists."`
}

func viewWebhookDelivery(d chat.WebhookDelivery) webhookDeliveryView {
	code, message := d.Failure()
	return webhookDeliveryView{
		ID: rest.DeliveryID(d.ID), Object: "webhook_delivery", SubscriptionID: rest.SubscriptionID(d.SubscriptionID), EventType: string(d.EventType), EventID: d.EventID,
		Status: d.Status, AttemptCount: d.AttemptCount, LastAttemptAt: rest.InstantPtr(d.LastAttemptAt), NextAttemptAt: rest.InstantPtr(d.NextAttemptAt),
		ResponseStatus: d.ResponseStatus, ResponseBodySnippet: d.ResponseBodySnippet, DurationMS: d.DurationMS,
		ReplayedFrom: d.ReplayedFrom, Replayed: d.Replayed, ErrorCode: code, ErrorMessage: message, CreatedAt: rest.Instant(d.CreatedAt),
	}
}

type deliveryAttemptView struct {
	Attempt             int          `json:"attempt" minimum:"1" doc:"Equal to the X-Svc-Attempt header."`
	At                  rest.Instant `json:"at"`
	ResponseStatus      *int64       `json:"response_status" nullable:"true"`
	ResponseBodySnippet *string      `json:"response_body_snippet" nullable:"true"`
	DurationMS          *int64       `json:"duration_ms" nullable:"true"`
	ErrorCode           *string      `json:"error_code" nullable:"true"`
	ErrorMessage        *string      `json:"error_message" nullable:"true"`
}

func viewWebhookDeliveryDetail(d chat.WebhookDeliveryDetail) webhookDeliveryView {
	view, attempts := viewWebhookDelivery(d.WebhookDelivery), d.Attempts()
	view.Payload, view.Attempts = rest.AnyJSON("null"), make([]deliveryAttemptView, len(attempts))
	if d.Payload != nil {
		view.Payload = rest.AnyJSON(d.Payload)
	}
	for i, a := range attempts {
		view.Attempts[i] = deliveryAttemptView{i + 1, rest.Instant(time.UnixMilli(a.At)), a.ResponseStatus, a.ResponseBodySnippet, a.DurationMS, a.ErrorCode, a.ErrorMessage}
	}
	return view
}

type listDeliveriesInput struct {
	SubscriptionID rest.SubscriptionID `query:"subscription_id"`
	Status         chat.DeliveryStatus `query:"status"`
	EventType      string              `query:"event_type" format:"event-type"`
	EventID        string              `query:"event_id" minLength:"1" maxLength:"200"`
	CreatedAfter   *time.Time          `query:"created_after" doc:"Exclusive."`
	CreatedBefore  *time.Time          `query:"created_before" doc:"Exclusive."`
}

func listWebhookDeliveries(c *rest.Call, in *listDeliveriesInput, p store.Page) (store.Slice[webhookDeliveryView], error) {
	found, err := core.WebhookDeliveries(c.Read(), c.OrgID(), store.DeliveryFilter{
		SubscriptionID: string(in.SubscriptionID), Status: in.Status, EventType: chat.EventType(in.EventType),
		EventID: in.EventID, CreatedAfter: in.CreatedAfter, CreatedBefore: in.CreatedBefore,
	}, p)
	return rest.ViewEach(found, viewWebhookDelivery), err
}

func getWebhookDelivery(c *rest.Call, in *rest.ByID[rest.DeliveryID]) (webhookDeliveryView, error) {
	d, err := core.WebhookDelivery(c.Read(), c.OrgID(), string(in.ID))
	return viewWebhookDeliveryDetail(d), err
}

func replayWebhookDelivery(tx *store.Tx, c *rest.Call, in *rest.ByID[rest.DeliveryID]) (webhookDeliveryView, error) {
	d, err := core.ReplayDelivery(tx, c.OrgID(), string(in.ID))
	return viewWebhookDeliveryDetail(d), err
}

type bulkReplayBody struct {
	SubscriptionID rest.SubscriptionID `json:"subscription_id"`
	Status         string              `json:"status,omitempty" enum:"failed,dead" default:"dead"`
	EventType      *string             `json:"event_type,omitempty" doc:"Only deliveries of events of this type."`
	CreatedAfter   *time.Time          `json:"created_after,omitempty" doc:"Exclusive."`
	CreatedBefore  *time.Time          `json:"created_before,omitempty" doc:"Exclusive."`
	ErrorCode      string              `json:"error_code,omitempty" minLength:"1" maxLength:"100" doc:"Only deliveries that ended with this error."`
	ResponseStatus *int64              `json:"response_status,omitempty" minimum:"100" maximum:"599" doc:"Only deliveries that were answered so last."`
}

type bulkReplayView struct {
	Object   string `json:"object" enum:"bulk_replay"`
	Enqueued int    `json:"enqueued" minimum:"0" doc:"How many deliveries were made."`
	Capped   bool   `json:"capped" doc:"There are more. Call again to replay them."`
}

func bulkReplay(tx *store.Tx, c *rest.Call, in *rest.Sent[bulkReplayBody]) (bulkReplayView, error) {
	b := in.Body
	kind, err := eventTypeOf(b.EventType)
	if err != nil {
		return bulkReplayView{}, err
	}
	if b.Status == "" {
		b.Status = string(chat.DeliveryDead)
	}
	done, err := core.ReplayDeliveries(tx, c.OrgID(), store.ReplayFilter{
		DeliveryFilter: store.DeliveryFilter{
			SubscriptionID: string(b.SubscriptionID), Status: chat.DeliveryStatus(b.Status), EventType: kind,
			CreatedAfter: b.CreatedAfter, CreatedBefore: b.CreatedBefore,
		},
		ErrorCode: b.ErrorCode, ResponseStatus: b.ResponseStatus,
	})
	return bulkReplayView{"bulk_replay", done.Enqueued, done.Capped}, err
}

// eventTypeOf checks the value of the field event_type.
func eventTypeOf(name *string) (chat.EventType, error) {
	if name == nil {
		return "", nil
	}
	return chat.EventType(*name), chat.CheckEventType("event_type", *name)
}
