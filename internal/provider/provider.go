// Package provider is the contract with the upstream messaging network, in our own words. The
// adapter in provider/cloud speaks its wire protocol; nobody above sees it.
package provider

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

// Number is a connected business number and the right to use it.
type Number struct {
	PhoneNumberID string
	WABAID        string
	Token         string
}

// Client makes the calls. Errors are *Error; a context's is in its chain, because a call that was
// given up may have been carried out all the same.
type Client interface {
	Send(ctx context.Context, from Number, m Outbound) (Sent, error)
	MarkRead(ctx context.Context, from Number, messageID string, typing bool) error
	Register(ctx context.Context, n Number, pin string) error
	PhoneNumber(ctx context.Context, n Number) (PhoneNumber, error)
	// Profile reads the business profile that people see of a number, UpdateProfile changes it.
	Profile(ctx context.Context, n Number) (chat.BusinessProfile, error)
	UpdateProfile(ctx context.Context, n Number, p chat.ProfileChange) error
	UploadMedia(ctx context.Context, n Number, f File) (mediaID string, err error)
	Media(ctx context.Context, n Number, mediaID string) (MediaInfo, error)
	// Download opens a media URL that Media or a callback gave. The caller closes it.
	Download(ctx context.Context, n Number, url string) (io.ReadCloser, error)

	// Templates lists the templates of the number's business account, a page at a time.
	Templates(ctx context.Context, n Number, q TemplateQuery) (TemplatePage, error)
	// CreateTemplate submits a template for review. Templates are told apart by name and language,
	// so that one which exists already is refused, see Error.TemplateExists.
	CreateTemplate(ctx context.Context, n Number, t NewTemplate) (Template, error)
	EditTemplate(ctx context.Context, n Number, templateID string, e TemplateEdit) error
	// DeleteTemplate deletes a name in all its languages, or the one that templateID names.
	DeleteTemplate(ctx context.Context, n Number, name, templateID string) error
	// UploadSample hands over a file that a template's header shows to its reviewers, or a profile's picture.
	UploadSample(ctx context.Context, n Number, f File) (handle string, err error)
}

// Outbound is a message to send. Content is the object named by Type in our outward shape, where
// library media has been replaced: MediaID is the provider's id of the file that Content refers
// to by "id", if any.
type Outbound struct {
	ID        string // our msg_ id; comes back in callbacks
	To        string // +E.164; empty when Recipient is set
	Recipient string // BSUID
	ReplyTo   string // the provider's id of the message to quote
	Type      chat.MessageType
	Content   json.RawMessage
	MediaID   string
	// MediaIDs has the provider's id for each of ours where Content refers to several files, as a
	// template's carousel does.
	MediaIDs map[string]string
}

// Sent is the upstream's word that it took a message.
type Sent struct {
	MessageID string
	WaID      string // digits; may differ from the number it was sent to
	UserID    string // BSUID, when sent to one
	Held      bool   // kept back for a quality check; a status follows
}

// PhoneNumber is what the upstream says of a number.
type PhoneNumber struct {
	ID            string
	Display       string
	VerifiedName  string
	Status        string // CONNECTED, PENDING, …
	Quality       string // GREEN, YELLOW, RED, UNKNOWN
	Limit         string // how many people it may write to in 24 hours: TIER_…; empty where the upstream does not say
	OnBusinessApp bool   // coexistence: the number also lives in the phone app
}

// Standing is what the number's status means for the account that has it.
func (p PhoneNumber) Standing() chat.AccountStatus {
	switch p.Status {
	case "CONNECTED", "FLAGGED", "RESTRICTED", "RATE_LIMITED":
		return chat.AccountConnected
	case "BANNED", "DELETED", "MIGRATED":
		return chat.AccountDisconnected
	default: // it has to be registered
		return chat.AccountOnboarding
	}
}

// File is media to upload.
type File struct {
	Name     string
	MimeType string
	Size     int64
	Body     io.Reader
}

// MediaInfo is where a file can be fetched for a few minutes.
type MediaInfo struct {
	URL      string
	MimeType string
	SHA256   []byte
	Size     int64
}

// Error is a call that the upstream refused or did not answer, or a fault that it reports in a
// callback: then HTTPStatus is 0 too, and Transient and Throttled are its code's.
type Error struct {
	HTTPStatus int // 0: no answer
	Code       int // 0: no error object
	Subcode    int
	Message    string // what the upstream says, for people: the most specific text it gave
	Title      string // the upstream's name of the code
	Text       string // its message, word for word
	Details    string // what it says of this very case
	Href       string
	Trace      string
	RetryAfter time.Duration
	// Transient: the same call may succeed later.
	Transient bool
	// Throttled: the number (or the app) is sending too fast; pause it rather than the message.
	Throttled bool
	// OutcomeUnknown: the request went out and the answer was lost, so it may have been carried out.
	OutcomeUnknown bool
	Cause          error
}
