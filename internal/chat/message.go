package chat

import (
	"encoding/json"
	"slices"
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

// Source says how an outbound message was made.
type Source string

const (
	SourceAPI       Source = "api"
	SourceDashboard Source = "dashboard"
	SourceApp       Source = "app"
	SourceBroadcast Source = "broadcast"
	// SourceAutomatic: an away message.
	SourceAutomatic Source = "automatic"
)

// Answers reports whether a message from this source counts as an answer to a waiting person. Broadcasts and
// away messages do not.
func (s Source) Answers() bool { return s != SourceBroadcast && s != SourceAutomatic }

// MessageError says why a message failed. ProviderCode is nil where the service itself refused.
type MessageError struct {
	Code         MessageErrorCode
	Message      string
	ProviderCode *int
}

// MessageErrorCode is the open set of reasons for a failed message.
type MessageErrorCode string

const (
	FailOutsideWindow         MessageErrorCode = "outside_24h_window"
	FailMarketingOptedOut     MessageErrorCode = "marketing_opted_out"
	FailMarketingBlocked      MessageErrorCode = "marketing_blocked_by_user"
	FailRecipientUnavailable  MessageErrorCode = "recipient_unavailable"
	FailUnsupportedType       MessageErrorCode = "unsupported_message_type"
	FailAccountRestricted     MessageErrorCode = "account_restricted"
	FailAccountLocked         MessageErrorCode = "account_locked"
	FailConsentRequired       MessageErrorCode = "consent_required"
	FailCustomerSuspended     MessageErrorCode = "customer_suspended"
	FailPermissionRevoked     MessageErrorCode = "permission_revoked"
	FailAuthExpired           MessageErrorCode = "auth_expired"
	FailAppRateLimited        MessageErrorCode = "app_rate_limited"
	FailAccountRateLimited    MessageErrorCode = "account_rate_limited"
	FailTemplateNotFound      MessageErrorCode = "template_not_found"
	FailTemplatePaused        MessageErrorCode = "template_paused"
	FailTemplatePolicy        MessageErrorCode = "template_policy_violation"
	FailFlowBlocked           MessageErrorCode = "flow_blocked"
	FailMediaUpload           MessageErrorCode = "media_upload_failed"
	FailMediaDownload         MessageErrorCode = "media_download_failed"
	FailUndeliverable         MessageErrorCode = "undeliverable"
	FailPolicyViolation       MessageErrorCode = "policy_violation"
	FailSubscriptionInactive  MessageErrorCode = "subscription_inactive"
	FailOrganizationSuspended MessageErrorCode = "organization_suspended"
	FailUpstream              MessageErrorCode = "upstream_error"
)

// Message is one message of a conversation. Content is the object named by Type, in the API's shape. Context is
// the provider's id of the message that this one replies to.
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
	SentBy         string // the user who sent it from the dashboard
	ProviderID     string
	Content        json.RawMessage
	Context        string
	MediaID        string          // of the stored file
	EventRow       string          // the event recorded with the message; set only while it is recorded
	Edits          json.RawMessage // earlier contents, oldest first
	Extra          json.RawMessage // what came beside the content: referral, context, order, errors; nil for most
	Error          *MessageError
	Reports        Reports // the callbacks that have arrived
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

// MessageStatuses are all there are.
var MessageStatuses = []MessageStatus{StatusQueued, StatusPending, StatusSent, StatusDelivered, StatusRead, StatusFailed}

// rank orders the statuses on the way to the reader. Failed has no rank.
func (s MessageStatus) rank() int { return slices.Index(MessageStatuses, s) }

// Reports is the set of callbacks that have arrived. A repeated callback changes nothing.
type Reports int

const (
	ReportSent Reports = 1 << iota
	ReportDelivered
	ReportRead
	ReportPlayed
	ReportFailed
)

// reportsByName maps the provider's name of a callback to its bit and to the status that it proves.
var reportsByName = map[string]struct {
	report Reports
	proves MessageStatus
}{
	"sent":      {ReportSent, StatusSent},
	"delivered": {ReportDelivered, StatusDelivered},
	"read":      {ReportRead, StatusRead},
	"played":    {ReportPlayed, StatusSent},
	"failed":    {ReportFailed, StatusFailed},
}

// Hear records a callback by the provider's name for it. It returns true for the first of its kind.
//
// The status follows from the set of callbacks, not from their order. A failure that the provider reports is
// final; otherwise the farthest report counts. A failure that the service itself assumed is disproved by any
// other report.
func (m *Message) Hear(name string) (news bool) {
	heard, known := reportsByName[name]
	if !known || m.Reports&heard.report != 0 {
		return false
	}
	m.Reports |= heard.report
	switch {
	case m.Reports&ReportFailed != 0:
		m.Status = StatusFailed
	case m.Status == StatusFailed || heard.proves.rank() > m.Status.rank():
		m.Status, m.Error = heard.proves, nil
	}
	return true
}

// Fail fails a message of which the provider has reported nothing. It returns false for any other message.
func (m *Message) Fail(why MessageError) bool {
	if m.Status != StatusQueued && m.Status != StatusPending {
		return false
	}
	m.Status, m.Error = StatusFailed, &why
	return true
}

// Advance returns the status after the provider's history says next, and whether it changed. It never goes
// back.
func (s MessageStatus) Advance(next MessageStatus) (MessageStatus, bool) {
	if s != StatusFailed && next.rank() > s.rank() {
		return next, true
	}
	return s, false
}

// VoiceNote reports whether a message is a recording, the only kind of audio that can be marked as played.
func (m Message) VoiceNote() bool {
	var audio struct {
		Voice bool `json:"voice"`
	}
	return m.Type == TypeAudio && json.Unmarshal(m.Content, &audio) == nil && audio.Voice
}

// EditedAt is the time of the author's last edit as text, or empty.
func (m Message) EditedAt() string {
	var edits []struct {
		At string `json:"edited_at"`
	}
	if m.Edits == nil || json.Unmarshal(m.Edits, &edits) != nil || len(edits) == 0 {
		return ""
	}
	return edits[len(edits)-1].At
}
