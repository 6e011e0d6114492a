package chat

import (
	"slices"
	"strings"
	"time"
)

// BroadcastStatus is where a broadcast stands.
type BroadcastStatus string

const (
	BroadcastDraft     BroadcastStatus = "draft"
	BroadcastScheduled BroadcastStatus = "scheduled"
	BroadcastSending   BroadcastStatus = "sending"
	BroadcastPaused    BroadcastStatus = "paused"
	BroadcastCompleted BroadcastStatus = "completed"
	BroadcastStopped   BroadcastStatus = "stopped"
	BroadcastFailed    BroadcastStatus = "failed"
)

// BroadcastReason says why a broadcast is paused, stopped or failed.
type BroadcastReason string

const (
	ReasonByUser                BroadcastReason = "by_user"
	ReasonQualityRed            BroadcastReason = "quality_red"
	ReasonTemplatePaused        BroadcastReason = "template_paused"
	ReasonTemplateDisabled      BroadcastReason = "template_disabled" // also rejected, under review or deleted
	ReasonTemplateEdited        BroadcastReason = "template_edited"
	ReasonAccountRestricted     BroadcastReason = "account_restricted"
	ReasonAccountDisconnected   BroadcastReason = "account_disconnected"
	ReasonFailureRate           BroadcastReason = "failure_rate"
	ReasonQuotaExceeded         BroadcastReason = "quota_exceeded"
	ReasonSubscriptionInactive  BroadcastReason = "subscription_inactive"
	ReasonOrganizationSuspended BroadcastReason = "organization_suspended"
	ReasonMediaMissing          BroadcastReason = "media_not_found"
	ReasonNoRecipients          BroadcastReason = "no_recipients"
	ReasonLabelDeleted          BroadcastReason = "label_deleted"
	ReasonRestored              BroadcastReason = "restored" // from a back-up, which does not know who got it since
)

// Broadcast sends one template to many people.
type Broadcast struct {
	ID        string
	OrgID     string
	AccountID string
	Name      string
	Status    BroadcastStatus
	Reason    BroadcastReason
	Template  BroadcastTemplate
	// TemplateDigest identifies the template's text at the start. A broadcast stops when the text changes on
	// the way.
	TemplateDigest string
	Audience       Audience
	AudienceAt     string // the last contact of the audience that became a recipient
	AudienceDone   bool
	PerSecond      *int64 // nil: as fast as the number may
	ScheduledAt    *time.Time
	TimeZone       string // the zone in which ScheduledAt was chosen; empty: none
	Active         bool   // a worker has something to do for it
	Owner          string // the node that works on it; of a draft: the node that is copying recipients into it
	SentBefore     int64  // sent and failed recipients when it last started or resumed
	FailedBefore   int64
	StartedAt      *time.Time
	CompletedAt    *time.Time
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// Audience says which contacts become recipients when a broadcast starts: those with the labels, or those that
// the filter matches. Without either it is empty.
type Audience struct {
	LabelIDs []string       `json:"label_ids,omitempty"`
	MatchAll bool           `json:"match_all,omitzero"` // all of the labels instead of any
	Filter   *ContactFilter `json:"filter,omitempty"`   // instead of labels
}

// Empty reports whether the audience has nobody in it.
func (a Audience) Empty() bool { return len(a.LabelIDs) == 0 && a.Filter == nil }

// Labels returns the labels that the audience or its filter names.
func (a Audience) Labels() []string {
	if a.Filter != nil {
		return a.Filter.LabelIDs
	}
	return a.LabelIDs
}

// BroadcastMove is an action on a broadcast.
type BroadcastMove string

const (
	MoveStart  BroadcastMove = "start"
	MovePause  BroadcastMove = "pause"
	MoveResume BroadcastMove = "resume"
	MoveStop   BroadcastMove = "stop"
	MoveRetry  BroadcastMove = "retry"
	MoveChange BroadcastMove = "change"
	MoveCopy   BroadcastMove = "copy"
)

// moves lists the states in which each action is allowed.
var moves = map[BroadcastMove][]BroadcastStatus{
	MoveStart:  {BroadcastDraft, BroadcastScheduled},
	MovePause:  {BroadcastSending},
	MoveResume: {BroadcastPaused},
	MoveStop:   {BroadcastScheduled, BroadcastSending, BroadcastPaused},
	MoveRetry:  {BroadcastPaused, BroadcastCompleted, BroadcastStopped},
	MoveChange: {BroadcastDraft, BroadcastScheduled},
	MoveCopy: {
		BroadcastDraft, BroadcastScheduled, BroadcastSending, BroadcastPaused, BroadcastCompleted, BroadcastStopped, BroadcastFailed,
	},
}

// Copying reports whether the broadcast is a copy that does not have all its recipients yet.
func (b Broadcast) Copying() bool { return b.Status == BroadcastDraft && b.Owner != "" }

// CheckMove refuses an action that the state does not allow.
func (b Broadcast) CheckMove(m BroadcastMove) error {
	if b.Copying() {
		return Fail(CodeBroadcastState, "The broadcast is a copy that is still being made. Try again in a few seconds; if it is gone then, duplicate the original again.")
	}
	if slices.Contains(moves[m], b.Status) {
		return nil
	}
	var allowed []string
	for _, s := range moves[m] {
		allowed = append(allowed, string(s))
	}
	return Fail(CodeBroadcastState, "The broadcast is %s; this is possible while it is %s.", b.Status, strings.Join(allowed, " or "))
}

// RecipientStatus is where a recipient stands.
type RecipientStatus string

const (
	RecipientWaiting   RecipientStatus = "waiting"
	RecipientSkipped   RecipientStatus = "skipped"
	RecipientQueued    RecipientStatus = "queued" // its message is on its way to the provider
	RecipientSent      RecipientStatus = "sent"
	RecipientDelivered RecipientStatus = "delivered"
	RecipientRead      RecipientStatus = "read"
	RecipientFailed    RecipientStatus = "failed"
)

// RecipientOf is the recipient status that follows from the status of its message.
func RecipientOf(s MessageStatus) RecipientStatus {
	if s == StatusQueued || s == StatusPending {
		return RecipientQueued
	}
	return RecipientStatus(s)
}

// Why a recipient was skipped, beyond the codes of refused sends.
const (
	SkipDuplicate = "duplicate"
	SkipInvalid   = string(CodeInvalidPhoneNumber)
	SkipMissing   = "missing_variable"
	SkipUnfit     = "invalid_variable"
	SkipStopped   = "broadcast_stopped"
	SkipDeleted   = "contact_deleted"
	// FailRemoved: the message was deleted before it went out.
	FailRemoved = "message_deleted"
)

// Recipient is one person whom a broadcast goes to.
type Recipient struct {
	ID          string
	OrgID       string
	BroadcastID string
	Address     string            // a number with +, or a business-scoped user id; empty: the contact was deleted
	Variables   map[string]string // by the names of columns
	Status      RecipientStatus
	Reason      string
	ContactID   string
	MessageID   string
	RepliedAt   *time.Time
	Clicked     string // the button that was pressed
	OptedOutAt  *time.Time
}

// BroadcastCounts are the numbers of recipients by status.
type BroadcastCounts struct {
	Total, Skipped, Waiting, Sent, Delivered, Read, Failed int64
	Replied, Clicked, OptedOut                             int64
}

// Counters beside the statuses.
const (
	CountReplied  = "replied"
	CountClicked  = "clicked"
	CountOptedOut = "opted_out"
)

// CountsOf makes the counts from the number of recipients in each status. The counts are cumulative: a read
// message counts as delivered and as sent.
func CountsOf(n map[string]int64) BroadcastCounts {
	of := func(s RecipientStatus) int64 { return n[string(s)] }
	c := BroadcastCounts{
		Skipped: of(RecipientSkipped), Waiting: of(RecipientWaiting) + of(RecipientQueued), Failed: of(RecipientFailed),
		Read: of(RecipientRead), Replied: n[CountReplied], Clicked: n[CountClicked], OptedOut: n[CountOptedOut],
	}
	c.Delivered = c.Read + of(RecipientDelivered)
	c.Sent = c.Delivered + of(RecipientSent)
	c.Total = c.Skipped + c.Waiting + c.Sent + c.Failed
	return c
}
