package client

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"time"
)

// WebhookDelivery is the delivery of one event to one subscription.
type WebhookDelivery struct {
	ID                  string                `json:"id"`
	Object              string                `json:"object"`
	SubscriptionID      string                `json:"subscription_id"`
	EventType           EventType             `json:"event_type"`
	EventID             string                `json:"event_id"`
	Status              WebhookDeliveryStatus `json:"status"`
	AttemptCount        int64                 `json:"attempt_count"`
	LastAttemptAt       *time.Time            `json:"last_attempt_at"`
	NextAttemptAt       *time.Time            `json:"next_attempt_at"` // at the earliest; nil while the subscription is paused
	ResponseStatus      *int64                `json:"response_status"`
	ResponseBodySnippet *string               `json:"response_body_snippet"`
	DurationMS          *int64                `json:"duration_ms"`
	ReplayedFrom        *string               `json:"replayed_from"`
	Replayed            bool                  `json:"replayed"` // newer deliveries of the same event replace it
	ErrorCode           *string               `json:"error_code"`
	ErrorMessage        *string               `json:"error_message"`
	CreatedAt           time.Time             `json:"created_at"`

	// Payload and Attempts are absent in lists.
	Payload  json.RawMessage   `json:"payload"`
	Attempts []DeliveryAttempt `json:"attempts"`
}

// WebhookDeliveryStatus is the status of a delivery.
type WebhookDeliveryStatus string

const (
	DeliveryPending   WebhookDeliveryStatus = "pending"
	DeliverySucceeded WebhookDeliveryStatus = "succeeded"
	DeliveryFailed    WebhookDeliveryStatus = "failed" // another attempt is scheduled
	DeliveryDead      WebhookDeliveryStatus = "dead"   // no more attempts follow
)

// DeliveryAttempt is one attempt to deliver an event.
type DeliveryAttempt struct {
	Attempt             int       `json:"attempt"`
	At                  time.Time `json:"at"`
	ResponseStatus      *int64    `json:"response_status"`
	ResponseBodySnippet *string   `json:"response_body_snippet"`
	DurationMS          *int64    `json:"duration_ms"`
	ErrorCode           *string   `json:"error_code"`
	ErrorMessage        *string   `json:"error_message"`
}

// WebhookDeliveryFilter selects deliveries. Its instants are exclusive.
type WebhookDeliveryFilter struct {
	SubscriptionID string
	Status         WebhookDeliveryStatus
	EventType      EventType
	EventID        string
	CreatedAfter   time.Time
	CreatedBefore  time.Time
	PageOptions
}

func (f WebhookDeliveryFilter) query() query {
	return f.PageOptions.query().text("subscription_id", f.SubscriptionID).text("status", string(f.Status)).
		text("event_type", string(f.EventType)).text("event_id", f.EventID).
		instant("created_after", f.CreatedAfter).instant("created_before", f.CreatedBefore)
}

// ListWebhookDeliveries returns a page of deliveries, newest first. They are kept for 30 days.
func (c *Client) ListWebhookDeliveries(ctx context.Context, f WebhookDeliveryFilter, options ...CallOption) (*Page[WebhookDelivery], error) {
	return list[WebhookDelivery](ctx, c, newCall(http.MethodGet, options, "webhook_deliveries"), f.query())
}

// WebhookDeliveries walks through all deliveries, newest first.
func (c *Client) WebhookDeliveries(ctx context.Context, f WebhookDeliveryFilter) iter.Seq2[WebhookDelivery, error] {
	return walk(f.PageOptions, func(at PageOptions) (*Page[WebhookDelivery], error) {
		f.PageOptions = at
		return c.ListWebhookDeliveries(ctx, f)
	})
}

// GetWebhookDelivery returns a delivery with its payload and attempts.
func (c *Client) GetWebhookDelivery(ctx context.Context, id string, options ...CallOption) (*WebhookDelivery, error) {
	return one[WebhookDelivery](ctx, c, newCall(http.MethodGet, options, "webhook_deliveries", id))
}

// ReplayWebhookDelivery delivers an event once more, under its event id. It returns the new delivery.
func (c *Client) ReplayWebhookDelivery(ctx context.Context, id string, options ...CallOption) (*WebhookDelivery, error) {
	return one[WebhookDelivery](ctx, c, newCall(http.MethodPost, options, "webhook_deliveries", id, "replay"))
}

// BulkReplay selects deliveries of a subscription to replay. Empty fields match all.
type BulkReplay struct {
	SubscriptionID string                `json:"subscription_id"`
	Status         WebhookDeliveryStatus `json:"status,omitempty"` // DeliveryDead when empty; or DeliveryFailed
	EventType      EventType             `json:"event_type,omitempty"`
	CreatedAfter   time.Time             `json:"created_after,omitzero"`
	CreatedBefore  time.Time             `json:"created_before,omitzero"`
	ErrorCode      string                `json:"error_code,omitempty"`
	ResponseStatus int                   `json:"response_status,omitempty"`
}

// BulkReplayResult is the number of new deliveries.
type BulkReplayResult struct {
	Object   string `json:"object"`
	Enqueued int    `json:"enqueued"`
	Capped   bool   `json:"capped"` // there are more: call again
}

// BulkReplayWebhookDeliveries replays up to 1,000 deliveries, oldest first. It does not replay a delivery
// twice.
func (c *Client) BulkReplayWebhookDeliveries(ctx context.Context, b BulkReplay, options ...CallOption) (*BulkReplayResult, error) {
	return one[BulkReplayResult](ctx, c, newCall(http.MethodPost, options, "webhook_deliveries", "bulk_replay").withJSON(b))
}
