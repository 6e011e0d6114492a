// Package provider is the contract with the upstream messaging network, in our own words. Only the adapter in
// provider/cloud knows its wire protocol.
package provider

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

// Number is a connected business number with the token to use it.
type Number struct {
	PhoneNumberID string
	WABAID        string
	Token         string
}

// Client makes the calls. Errors are *Error; a context's error is in its chain, because an abandoned call may
// have been carried out.
type Client interface {
	Send(ctx context.Context, from Number, m Outbound) (Sent, error)
	MarkRead(ctx context.Context, from Number, messageID string, typing bool) error
	Register(ctx context.Context, n Number, pin string) error
	PhoneNumber(ctx context.Context, n Number) (PhoneNumber, error)
	// Profile reads a number's public business profile; UpdateProfile changes it.
	Profile(ctx context.Context, n Number) (chat.BusinessProfile, error)
	UpdateProfile(ctx context.Context, n Number, p chat.ProfileChange) error
	UploadMedia(ctx context.Context, n Number, f File) (mediaID string, err error)
	Media(ctx context.Context, n Number, mediaID string) (MediaInfo, error)
	// Download opens a media URL from Media or a callback. The caller closes it.
	Download(ctx context.Context, n Number, url string) (io.ReadCloser, error)

	// Templates lists the templates of the number's business account, a page at a time.
	Templates(ctx context.Context, n Number, q TemplateQuery) (TemplatePage, error)
	// CreateTemplate submits a template for review. Name and language identify a template; one that exists
	// already is refused, see Error.TemplateExists.
	CreateTemplate(ctx context.Context, n Number, t NewTemplate) (Template, error)
	EditTemplate(ctx context.Context, n Number, templateID string, e TemplateEdit) error
	// DeleteTemplate deletes all languages of a name, or the one with templateID.
	DeleteTemplate(ctx context.Context, n Number, name, templateID string) error
	// UploadSample uploads a file for a template's reviewers, or a profile's picture.
	UploadSample(ctx context.Context, n Number, f File) (handle string, err error)
}

// Outbound is a message to send. Content is the object named by Type in our outward shape. MediaID is the
// provider's id of the file that Content names by "id", if any.
type Outbound struct {
	ID        string // our msg_ id; comes back in callbacks
	To        string // +E.164; empty when Recipient is set
	Recipient string // BSUID
	ReplyTo   string // the provider's id of the message to quote
	Type      chat.MessageType
	Content   json.RawMessage
	MediaID   string
	// MediaIDs maps our ids of files to the provider's if Content names several files, as a template's carousel
	// does.
	MediaIDs map[string]string
}

// Sent is the upstream's confirmation that it accepted a message.
type Sent struct {
	MessageID string
}

// PhoneNumber is the upstream's data about a number.
type PhoneNumber struct {
	ID            string
	Display       string
	VerifiedName  string
	Status        string // CONNECTED, PENDING, …
	Quality       string // GREEN, YELLOW, RED, UNKNOWN
	Limit         string // how many people it may write to in 24 hours: TIER_…; empty if unknown
	OnBusinessApp bool   // coexistence: the number is also used in the phone app
}

// Standing is the account status that follows from the number's status.
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

// MediaInfo is the address of a file, valid for a few minutes.
type MediaInfo struct {
	URL  string
	Size int64
}

// Error is a call that the upstream refused or did not answer, or an error in a callback. In a callback
// HTTPStatus is 0, and Transient and Throttled follow from the code.
type Error struct {
	HTTPStatus int // 0: no answer
	Code       int // 0: no error object, or CodeZero
	Subcode    int
	Message    string // the upstream's most specific text, for people
	Title      string // the upstream's name of the code
	Text       string // the upstream's message, word for word
	Details    string // about the specific case
	Href       string
	Trace      string
	RetryAfter time.Duration
	// Transient means that the same call may succeed later.
	Transient bool
	// Throttled means that the number (or the app) sends too fast. Pause the number, not the message.
	Throttled bool
	// OutcomeUnknown means that the request went out and the answer was lost, so it may have been carried out.
	OutcomeUnknown bool
	// Foreign means that the answer is not the upstream's own, which always has an error object: a proxy gave it.
	Foreign bool
	// CodeZero means that the upstream itself named code 0, which it has for a lost token.
	CodeZero bool
	Cause    error
}
