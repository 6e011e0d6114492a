package provider

import (
	"encoding/json"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

// Update is one report of the upstream: one of the types in this file. A callback carries many, in the order in
// which they are to be applied, and an update may come more than once.
type Update interface {
	// About returns the business account and the number that the update concerns.
	About() Origin
}

// Origin is the business account and the number that an update concerns. Updates about a whole account have no
// number.
type Origin struct {
	WABAID             string
	PhoneNumberID      string
	DisplayPhoneNumber string    // as the upstream writes it
	ReportedAt         time.Time // zero if unknown
}

// About makes every type that embeds an Origin an Update.
func (o Origin) About() Origin { return o }

// Person is the other end of a conversation. At least one of Phone and UserID is known.
type Person struct {
	Phone        string // +E.164
	UserID       string // BSUID
	ParentUserID string
	Username     string // without @
	ProfileName  string
}

// Raw holds objects of the callback to pass on, without the upstream's product name and without data that is
// only for us. Contact and Metadata are nil if the upstream sent none.
type Raw struct {
	Item     json.RawMessage // the message or the status
	Contact  json.RawMessage
	Metadata json.RawMessage
}

// Media is a file that came with a message. ID can be looked up for days, URL fetched for minutes.
type Media struct {
	ID       string
	URL      string
	MimeType string
	SHA256   []byte // nil if unknown
	Filename string
}

// Message is a message as the upstream reports it. Content is the object named by Type in our outward shape.
// Media repeats a part of it.
type Message struct {
	Contact    Person
	ProviderID string
	Timestamp  time.Time // zero if unknown
	Type       chat.MessageType
	Content    json.RawMessage
	Context    string // the provider's id of the message that it replies to
	// Extra holds the parts beside the content, in the API's shape: referral (the advertisement it came from),
	// context (without the message that it replies to), order, errors. Nil for most.
	Extra json.RawMessage
	Media *Media
	Raw   Raw
}

// InboundMessage is a message from a person to the business.
type InboundMessage struct {
	Origin
	Message
}

// Echo is a message that the business sent to a person from its phone app.
type Echo struct {
	Origin
	Message
}

// Edit replaces the content of an earlier message. Content is nil if the upstream withholds it.
type Edit struct {
	Origin
	ProviderID string // of the edit itself
	OriginalID string
	Timestamp  time.Time
	ByBusiness bool // by the business in the phone app, to its own message
	Content    json.RawMessage
}

// Revoke deletes an earlier message for both sides.
type Revoke struct {
	Origin
	ProviderID string // of the revocation itself
	OriginalID string
	Timestamp  time.Time
	ByBusiness bool // by the business in the phone app, to its own message
}

// IdentityChange says that a person has new identifiers. Fields that did not change, or are unknown, are empty
// in both.
type IdentityChange struct {
	Origin
	Previous Person
	Current  Person
	Detail   string
}

// StatusUpdate is a new status of a sent message: sent, delivered, read, failed, played, or a word that the
// upstream adds or no longer uses (deleted, warning).
type StatusUpdate struct {
	Origin
	ProviderID   string
	Status       string
	Timestamp    time.Time
	Recipient    Person
	CallbackData string // our msg_ id, if we sent it
	Errors       []*Error
	Raw          Raw
}

// HistoryMessage is a message from before the number was connected. It opens no service window.
type HistoryMessage struct {
	Message
	Outbound bool
	Status   chat.MessageStatus // empty where unknown
	// Placeholder means that the message is a file, which may follow in a later chunk under the same
	// ProviderID.
	Placeholder bool
}

// HistoryChunk is a part of a number's history. It has no messages if sharing it was declined.
type HistoryChunk struct {
	Origin
	Messages []HistoryMessage
}

// ContactSync is a change to the address book of the phone app. ProfileName is the full name there.
type ContactSync struct {
	Origin
	Contact Person
	Removed bool
}

// Preference is a person's wish about a category of messages: stop or resume.
type Preference struct {
	Origin
	Contact   Person
	Category  string // marketing_messages
	Value     string
	Timestamp time.Time
}

// The values of a Preference that ask for a change.
const (
	PreferenceStop   = "stop"
	PreferenceResume = "resume"
)

// AccountUpdate is an update of a business account. Origin.WABAID is that account, even if the upstream reports
// it under a partner's id.
type AccountUpdate struct {
	Origin
	Event          string // the upstream's word: PARTNER_REMOVED, DISABLED_UPDATE, …
	Phone          string // +E.164, where one number is meant
	BanState       string // DISABLE, REINSTATE, SCHEDULE_FOR_DISABLE
	Restrictions   []Restriction
	MessagingLimit string // of EventCapability
}

// Events of an AccountUpdate with a callback of their own but no word of the upstream's.
const (
	EventAccountReview = "ACCOUNT_REVIEW"
	EventCapability    = "CAPABILITY_UPDATE"
)

// Restriction is something that an account may not do, until a time or, if that is zero, until further notice.
type Restriction struct {
	Type  string
	Until time.Time
}

// NumberUpdate is an update of a number, which is known only by its DisplayPhoneNumber.
type NumberUpdate struct {
	Origin
	Phone        string // +E.164
	Event        string // ONBOARDING, FLAGGED, …; NAME_UPDATE for a decision on its name
	Limit        string // TIER_…
	Name         string
	NameDecision string
}

// EventNameUpdate is the Event of a NumberUpdate about the number's name.
const EventNameUpdate = "NAME_UPDATE"

// TemplateAspect is the part of a template that a TemplateUpdate is about.
type TemplateAspect string

const (
	TemplateStatus     TemplateAspect = "status"
	TemplateQuality    TemplateAspect = "quality"
	TemplateCategory   TemplateAspect = "category"
	TemplateComponents TemplateAspect = "components"
)

// TemplateUpdate is an update of a template.
type TemplateUpdate struct {
	Origin
	Aspect   TemplateAspect
	ID       string
	Name     string
	Language string

	Event       string // APPROVED, REJECTED, PAUSED, …
	Reason      string
	Description string

	Category       string // in force now
	NextCategory   string // announced for NextCategoryAt
	NextCategoryAt time.Time

	Quality string
}

// ErrorReport is an error of the account or the app that belongs to no message.
type ErrorReport struct {
	Origin
	Errors []*Error
}

// Ignored is a part of a callback that we do not understand or do not need.
type Ignored struct {
	Origin
	Field  string
	Reason string
	Lost   bool // we would use it, but it is not complete
}
