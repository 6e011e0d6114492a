package chat

import "time"

// DeliveryStatus is how far a delivery has come.
type DeliveryStatus string

const (
	DeliveryPending   DeliveryStatus = "pending"
	DeliverySucceeded DeliveryStatus = "succeeded"
	DeliveryFailed    DeliveryStatus = "failed" // the last attempt failed, another one is scheduled
	DeliveryDead      DeliveryStatus = "dead"
)

// Codes of deliveries that ended without a failed attempt as the reason.
const (
	DeliverySubscriptionDisabled = "subscription_disabled"
	DeliverySubscriptionDeleted  = "subscription_deleted"
	DeliveryReplayed             = "replayed"
	DeliveryPayloadRemoved       = "payload_removed"
)

// deliveryEndings explain these codes to people.
var deliveryEndings = map[string]string{
	DeliverySubscriptionDisabled: "The subscription was disabled. Set its status to active and replay the delivery.",
	DeliverySubscriptionDeleted:  "The subscription was deleted before the event could be delivered.",
	DeliveryReplayed:             "The delivery was replayed. A new one is attempted in its place.",
	DeliveryPayloadRemoved:       "The message that the event tells of was removed before it could be delivered.",
}

// WebhookDelivery is the delivery of one event to one subscription.
type WebhookDelivery struct {
	ID                  string
	OrgID               string
	SubscriptionID      string
	EventRow            string
	EventID             string
	EventType           EventType
	Subject             string
	Status              DeliveryStatus
	AttemptCount        int64
	LastAttemptAt       *time.Time
	NextAttemptAt       *time.Time // when it is due; its endpoint may be spared for longer
	ResponseStatus      *int64
	ResponseBodySnippet *string
	DurationMS          *int64
	ErrorCode           *string // of the last attempt
	ErrorMessage        *string
	EndedBy             *string // the code of its end, where the last attempt was not the reason
	ReplayedFrom        *string
	Replayed            bool // there is a newer delivery that replays it
	CreatedAt           time.Time
}

// Replayable reports whether a replay makes sense: an attempt was made, or none will be.
func (d WebhookDelivery) Replayable() bool { return d.Status != DeliveryPending }

// Failure says why the event has not been delivered; both are nil if there is no failure.
func (d WebhookDelivery) Failure() (code, message *string) {
	if d.EndedBy == nil {
		return d.ErrorCode, d.ErrorMessage
	}
	return d.EndedBy, new(deliveryEndings[*d.EndedBy])
}

// WebhookDeliveryDetail is a delivery with its payload and its attempts.
type WebhookDeliveryDetail struct {
	WebhookDelivery
	Payload []byte // nil when the event was deleted
	Earlier []DeliveryAttempt
}

// Attempts lists all attempts, oldest first.
func (d WebhookDeliveryDetail) Attempts() []DeliveryAttempt {
	if d.LastAttemptAt == nil {
		return d.Earlier
	}
	return append(d.Earlier[:len(d.Earlier):len(d.Earlier)], DeliveryAttempt{
		At: d.LastAttemptAt.UnixMilli(), ResponseStatus: d.ResponseStatus, ResponseBodySnippet: d.ResponseBodySnippet,
		DurationMS: d.DurationMS, ErrorCode: d.ErrorCode, ErrorMessage: d.ErrorMessage,
	})
}

// DeliveryAttempt is one attempt, as it is stored and shown.
type DeliveryAttempt struct {
	At                  int64   `json:"at"` // milliseconds
	ResponseStatus      *int64  `json:"response_status,omitempty"`
	ResponseBodySnippet *string `json:"response_body_snippet,omitempty"`
	DurationMS          *int64  `json:"duration_ms,omitempty"`
	ErrorCode           *string `json:"error_code,omitempty"`
	ErrorMessage        *string `json:"error_message,omitempty"`
}
