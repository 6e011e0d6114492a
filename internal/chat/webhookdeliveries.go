package chat

import "time"

// DeliveryStatus is how far a delivery has come.
type DeliveryStatus string

const (
	DeliveryPending   DeliveryStatus = "pending"
	DeliverySucceeded DeliveryStatus = "succeeded"
	DeliveryFailed    DeliveryStatus = "failed" // attempted in vain, another attempt is scheduled
	DeliveryDead      DeliveryStatus = "dead"
)

// Why a delivery ended, where no attempt of it was the reason.
const (
	DeliverySubscriptionDisabled = "subscription_disabled"
	DeliverySubscriptionDeleted  = "subscription_deleted"
	DeliveryReplayed             = "replayed"
	DeliveryPayloadRemoved       = "payload_removed"
)

// deliveryEndings say to people what these codes say to programs.
var deliveryEndings = map[string]string{
	DeliverySubscriptionDisabled: "The subscription was disabled. Set its status to active and replay the delivery.",
	DeliverySubscriptionDeleted:  "The subscription was deleted before the event could be delivered.",
	DeliveryReplayed:             "The delivery was replayed. A new one is attempted in its place.",
	DeliveryPayloadRemoved:       "The message that the event tells of was removed before it could be delivered.",
}

// WebhookDelivery is one event on its way to one subscription.
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
	NextAttemptAt       *time.Time
	ResponseStatus      *int64
	ResponseBodySnippet *string
	DurationMS          *int64
	ErrorCode           *string // of the last attempt
	ErrorMessage        *string
	EndedBy             *string // what ended it, where the last attempt did not
	ReplayedFrom        *string
	Replayed            bool
	CreatedAt           time.Time
}

// Replayable reports whether a replay makes sense: once an attempt was made or none will be.
func (d WebhookDelivery) Replayable() bool { return d.Status != DeliveryPending }

// Failure is why the event has not been delivered, nil where there is nothing to say.
func (d WebhookDelivery) Failure() (code, message *string) {
	if d.EndedBy == nil {
		return d.ErrorCode, d.ErrorMessage
	}
	return d.EndedBy, new(deliveryEndings[*d.EndedBy])
}

// WebhookDeliveryDetail is a delivery with what was delivered and how often.
type WebhookDeliveryDetail struct {
	WebhookDelivery
	Payload []byte // nil when the event is gone
	Earlier []DeliveryAttempt
}

// Attempts are all tries, oldest first.
func (d WebhookDeliveryDetail) Attempts() []DeliveryAttempt {
	if d.LastAttemptAt == nil {
		return d.Earlier
	}
	return append(d.Earlier[:len(d.Earlier):len(d.Earlier)], DeliveryAttempt{
		At: d.LastAttemptAt.UnixMilli(), ResponseStatus: d.ResponseStatus, ResponseBodySnippet: d.ResponseBodySnippet,
		DurationMS: d.DurationMS, ErrorCode: d.ErrorCode, ErrorMessage: d.ErrorMessage,
	})
}

// DeliveryAttempt is one try, as it is stored and shown.
type DeliveryAttempt struct {
	At                  int64   `json:"at"` // milliseconds
	ResponseStatus      *int64  `json:"response_status,omitempty"`
	ResponseBodySnippet *string `json:"response_body_snippet,omitempty"`
	DurationMS          *int64  `json:"duration_ms,omitempty"`
	ErrorCode           *string `json:"error_code,omitempty"`
	ErrorMessage        *string `json:"error_message,omitempty"`
}
