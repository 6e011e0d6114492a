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

// Why a delivery could not be made, where it is not the endpoint's doing.
const (
	DeliverySubscriptionDisabled = "subscription_disabled"
	DeliverySubscriptionDeleted  = "subscription_deleted"
)

// DeliveryErrorText says to people what these codes say to programs.
func DeliveryErrorText(code string) string {
	if code == DeliverySubscriptionDeleted {
		return "The subscription was deleted before the event could be delivered."
	}
	return "The subscription was disabled. Set its status to active and replay the delivery."
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
	ErrorCode           *string
	ErrorMessage        *string
	ReplayedFrom        *string
	Replayed            bool
	CreatedAt           time.Time
}

// Replayable reports whether a replay makes sense: once an attempt was made or none will be.
func (d WebhookDelivery) Replayable() bool { return d.Status != DeliveryPending }

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
	last := DeliveryAttempt{
		At: d.LastAttemptAt.UnixMilli(), ResponseStatus: d.ResponseStatus, ResponseBodySnippet: d.ResponseBodySnippet,
		DurationMS: d.DurationMS, ErrorCode: d.ErrorCode, ErrorMessage: d.ErrorMessage,
	}
	if d.endedUntried() { // its own error was replaced by why there is no other attempt
		last.ErrorCode, last.ErrorMessage = nil, nil
	}
	return append(d.Earlier[:len(d.Earlier):len(d.Earlier)], last)
}

// endedUntried reports whether the delivery ended for the subscription's sake and not by an attempt.
func (d WebhookDelivery) endedUntried() bool {
	return d.ErrorCode != nil && (*d.ErrorCode == DeliverySubscriptionDisabled || *d.ErrorCode == DeliverySubscriptionDeleted)
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
