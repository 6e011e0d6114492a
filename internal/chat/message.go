package chat

import (
	"encoding/json"
	"time"
)

// Direction tells who wrote a message.
type Direction string

const (
	Inbound  Direction = "inbound"
	Outbound Direction = "outbound"
)

// MessageType is the kind of a message's content.
type MessageType string

const (
	TypeText        MessageType = "text"
	TypeImage       MessageType = "image"
	TypeDocument    MessageType = "document"
	TypeVideo       MessageType = "video"
	TypeAudio       MessageType = "audio"
	TypeTemplate    MessageType = "template"
	TypeInteractive MessageType = "interactive"
	TypeReaction    MessageType = "reaction"
	TypeLocation    MessageType = "location"
	TypeContacts    MessageType = "contacts"
	TypeButton      MessageType = "button"
	TypeUnsupported MessageType = "unsupported"
)

// HasMedia reports whether messages of this type carry a file.
func (t MessageType) HasMedia() bool {
	switch t {
	case TypeImage, TypeDocument, TypeVideo, TypeAudio:
		return true
	}
	return false
}

// Source tells what made an outbound message.
type Source string

const (
	SourceAPI       Source = "api"
	SourceDashboard Source = "dashboard"
	SourceApp       Source = "app"
	SourceBroadcast Source = "broadcast"
)

// MessageError says why a message failed. ProviderCode is nil where the service itself refused.
type MessageError struct {
	Code         MessageErrorCode
	Message      string
	ProviderCode *int
}

// MessageErrorCode is the open set of reasons for a failed message.
type MessageErrorCode string

const (
	FailOutsideWindow        MessageErrorCode = "outside_24h_window"
	FailMarketingOptedOut    MessageErrorCode = "marketing_opted_out"
	FailMarketingBlocked     MessageErrorCode = "marketing_blocked_by_user"
	FailRecipientUnavailable MessageErrorCode = "recipient_unavailable"
	FailUnsupportedType      MessageErrorCode = "unsupported_message_type"
	FailAccountRestricted    MessageErrorCode = "account_restricted"
	FailAccountLocked        MessageErrorCode = "account_locked"
	FailConsentRequired      MessageErrorCode = "consent_required"
	FailCustomerSuspended    MessageErrorCode = "customer_suspended"
	FailPermissionRevoked    MessageErrorCode = "permission_revoked"
	FailAuthExpired          MessageErrorCode = "auth_expired"
	FailAppRateLimited       MessageErrorCode = "app_rate_limited"
	FailAccountRateLimited   MessageErrorCode = "account_rate_limited"
	FailTemplateNotFound     MessageErrorCode = "template_not_found"
	FailTemplatePaused       MessageErrorCode = "template_paused"
	FailTemplatePolicy       MessageErrorCode = "template_policy_violation"
	FailFlowBlocked          MessageErrorCode = "flow_blocked"
	FailMediaUpload          MessageErrorCode = "media_upload_failed"
	FailMediaDownload        MessageErrorCode = "media_download_failed"
	FailUndeliverable        MessageErrorCode = "undeliverable"
	FailPolicyViolation      MessageErrorCode = "policy_violation"
	FailSubscriptionInactive MessageErrorCode = "subscription_inactive"
	FailUpstream             MessageErrorCode = "upstream_error"
)

// Message is one message of a conversation. Content is the object named by Type, as it is shown
// outwards; Context is the provider's id of the message it answers.
type Message struct {
	ID             string
	OrgID          string
	AccountID      string
	ConversationID string
	ContactID      string
	Direction      Direction
	Type           MessageType
	Status         MessageStatus
	Source         Source
	ProviderID     string
	Content        json.RawMessage
	Context        string
	MediaID        string          // of the stored file
	EventRow       string          // of the event that is recorded with it and carries its content; known then only
	Edits          json.RawMessage // earlier contents, oldest first
	Error          *MessageError
	SentReported   bool // a callback has confirmed what the answer to the send said
	PlayedAt       *time.Time
	Revoked        bool
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// MessageStatus is where a message stands.
type MessageStatus string

const (
	StatusQueued    MessageStatus = "queued"
	StatusPending   MessageStatus = "pending"
	StatusSent      MessageStatus = "sent"
	StatusDelivered MessageStatus = "delivered"
	StatusRead      MessageStatus = "read"
	StatusFailed    MessageStatus = "failed"
)

// MessageStatuses are all there are, in the order in which each outdoes those before it.
var MessageStatuses = []MessageStatus{StatusQueued, StatusPending, StatusSent, StatusFailed, StatusDelivered, StatusRead}

// rank orders the states a message passes. Failed stands between sent and delivered: it ends a
// message that was merely sent, and is disproved by one that arrived. A callback can come in any
// order, and the highest of all that came is the truth.
func (s MessageStatus) rank() int {
	switch s {
	case StatusPending:
		return 1
	case StatusSent:
		return 2
	case StatusFailed:
		return 3
	case StatusDelivered:
		return 4
	case StatusRead:
		return 5
	default:
		return 0
	}
}

// Advance is the status after a report of next, and whether that is a change. It never goes back.
func (s MessageStatus) Advance(next MessageStatus) (MessageStatus, bool) {
	if next.rank() > s.rank() {
		return next, true
	}
	return s, false
}
