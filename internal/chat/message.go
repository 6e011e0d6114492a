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

// Source tells what made an outbound message.
type Source string

const (
	SourceAPI       Source = "api"
	SourceDashboard Source = "dashboard"
	SourceApp       Source = "app"
	SourceBroadcast Source = "broadcast"
	// SourceAutomatic: an away message.
	SourceAutomatic Source = "automatic"
)

// Answers tells whether a message from there answers somebody who waits. What goes to many, or to all who
// write, does not.
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
	SentBy         string // the user who sent it from the dashboard
	ProviderID     string
	Content        json.RawMessage
	Context        string
	MediaID        string          // of the stored file
	EventRow       string          // of the event that is recorded with it and carries its content; known then only
	Edits          json.RawMessage // earlier contents, oldest first
	Extra          json.RawMessage // what came beside the content: referral, context, order, errors; nil for most
	Error          *MessageError
	Reports        Reports // the callbacks that have come
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

// rank orders the states that a message passes on its way. Failed is none of them: it ends the way.
func (s MessageStatus) rank() int { return slices.Index(MessageStatuses, s) }

// Reports is a set of callbacks. Each kind counts once, however often it comes.
type Reports int

const (
	ReportSent Reports = 1 << iota
	ReportDelivered
	ReportRead
	ReportPlayed
	ReportFailed
)

// reportsByName are the callbacks as the provider calls them, with the status that each proves.
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

// Hear takes in a callback by the provider's name of it, and reports whether it is the first of its kind.
//
// The status follows from the set of callbacks and not from their order: a failure that the provider
// reports is final, otherwise the farthest report counts. A failure that the provider has said nothing of
// is a guess of ours, which any other report disproves.
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

// Fail ends a message of which the provider has reported nothing, and tells whether it did.
func (m *Message) Fail(why MessageError) bool {
	if m.Status != StatusQueued && m.Status != StatusPending {
		return false
	}
	m.Status, m.Error = StatusFailed, &why
	return true
}

// Advance is the status after history says next, and whether that is a change. It never goes back.
func (s MessageStatus) Advance(next MessageStatus) (MessageStatus, bool) {
	if s != StatusFailed && next.rank() > s.rank() {
		return next, true
	}
	return s, false
}

// VoiceNote tells whether a message is a recording, which alone can be played.
func (m Message) VoiceNote() bool {
	var audio struct {
		Voice bool `json:"voice"`
	}
	return m.Type == TypeAudio && json.Unmarshal(m.Content, &audio) == nil && audio.Voice
}

// EditedAt is when its author last changed it, as text; empty for most.
func (m Message) EditedAt() string {
	var edits []struct {
		At string `json:"edited_at"`
	}
	if m.Edits == nil || json.Unmarshal(m.Edits, &edits) != nil || len(edits) == 0 {
		return ""
	}
	return edits[len(edits)-1].At
}
