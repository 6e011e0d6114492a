package chat

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// TemplateStatus is how far a template's review has come.
type TemplateStatus string

const (
	TemplatePending  TemplateStatus = "pending"
	TemplateApproved TemplateStatus = "approved"
	TemplateRejected TemplateStatus = "rejected"
)

// The categories of templates.
const (
	CategoryMarketing      = "MARKETING"
	CategoryUtility        = "UTILITY"
	CategoryAuthentication = "AUTHENTICATION"
)

// The kinds of placeholders.
const (
	FormatPositional = "positional"
	FormatNamed      = "named"
)

// ProviderPaused is the provider's status of a template that it does not send for a while.
const ProviderPaused = "PAUSED"

// TemplateStatusOf maps the provider's status to ours.
func TemplateStatusOf(provider string) TemplateStatus {
	switch provider {
	case "APPROVED":
		return TemplateApproved
	case "REJECTED", "DISABLED":
		return TemplateRejected
	default:
		return TemplatePending
	}
}

// TemplateGone reports the provider's statuses of a deleted template.
func TemplateGone(provider string) bool {
	return provider == "DELETED" || provider == "PENDING_DELETION"
}

// Template is one language of a message template. It belongs to the provider's business account, so all numbers
// of that account share it.
type Template struct {
	ID             string
	OrgID          string
	WABAID         string
	Name           string
	Language       string
	ProviderID     *string
	Status         TemplateStatus
	ProviderStatus string
	ReportedAt     *time.Time
	RejectedReason *string
	Category       *string
	Format         string // FormatPositional or FormatNamed
	Quality        *string
	TTLSeconds     *int
	Components     json.RawMessage
	Decoded        []TemplatePart // the components, if Decode has decoded them
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// Decode decodes the components beforehand, for a template that many messages fill. Components that cannot be decoded
// stay as they are.
func (t *Template) Decode() {
	if parts, err := t.fillable(); err == nil {
		t.Decoded = parts
	}
}

// SetProviderStatus stores the provider's verdict of the review.
func (t *Template) SetProviderStatus(status string, reason *string) {
	t.ProviderStatus, t.Status, t.RejectedReason = status, TemplateStatusOf(status), reason
	if t.RejectedReason != nil && (*reason == "" || *reason == "NONE") {
		t.RejectedReason = nil
	}
}

// parts decodes the template's components. It fails as a whole if the provider has a component of a shape that
// we do not know.
func (t Template) parts() ([]TemplatePart, error) {
	var parts []TemplatePart
	err := json.Unmarshal(t.Components, &parts)
	return parts, err
}

// Content returns the text of the body, and the names of its placeholders in order.
func (t Template) Content() (content string, variables []string) {
	parts, _ := t.parts() // as far as it can be read
	if body := partOf(parts, PartBody); body != nil {
		content = body.Text
	}
	return content, placeholderNames(content)
}

// SearchKey is the text that a search matches: the name and all texts.
func (t Template) SearchKey() string {
	parts, _ := t.parts() // as far as it can be read
	words := []string{t.Name}
	for _, p := range parts {
		words = append(words, p.words()...)
		for _, card := range p.Cards {
			for _, c := range card.parts() {
				words = append(words, c.words()...)
			}
		}
	}
	return FoldCase(strings.Join(words, "\n"))
}

// Is reports whether the template has the category. Without a known category it is false.
func (t Template) Is(category string) bool { return t.Category != nil && *t.Category == category }

// Digest changes whenever a synchronization changes the template. It leaves out the addresses of sample files,
// because the provider makes new ones for every list.
func (t Template) Digest() string { return t.digestWithout("header_handle") }

// TextDigest changes whenever a message of the template would look different. It leaves out the samples, which no message
// shows, and which the provider may give back in another form.
func (t Template) TextDigest() string {
	return Template{Format: t.Format, Components: t.Components}.digestWithout("example")
}

// TextIsOf reports whether a digest was made when messages of the template looked as they do now. Those of broadcasts that
// began under an earlier version have the samples in them.
func (t Template) TextIsOf(digest string) bool {
	return digest == t.TextDigest() || digest == Template{Format: t.Format, Components: t.Components}.Digest()
}

// digestWithout is a digest of what the provider says of the template, without the components' members of a name.
func (t Template) digestWithout(name string) string {
	var components any
	if json.Unmarshal(t.Components, &components) != nil {
		components = string(t.Components)
	}
	text, _ := json.Marshal([]any{ // these values never fail
		t.ProviderID, t.ProviderStatus, t.RejectedReason, t.Category, t.Format, t.Quality, t.TTLSeconds, without(components, name),
	})
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

func without(v any, name string) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = without(v[i], name)
		}
	case map[string]any:
		delete(v, name)
		for other := range v {
			v[other] = without(v[other], name)
		}
	}
	return v
}

// UnknownTemplate is the error for a name that the number's business account does not have, or has only in
// other languages.
func UnknownTemplate(name, language string, languages []string) *Error {
	if len(languages) == 0 {
		return &Error{Code: CodeInvalidTemplateName, Param: "template.name",
			Message: "This number has no template of this name. POST /v1/{phone_number_id}/templates/sync brings in one that is new at the provider."}
	}
	slices.Sort(languages)
	return &Error{Code: CodeInvalidTemplateName, Param: "template.language",
		Message: "The template " + name + " does not exist in " + language + ", but in " + strings.Join(languages, ", ") + "."}
}

// CheckSendable refuses a template that the provider has not approved. A paused one is allowed: pauses end by
// themselves, so the provider decides.
func (t Template) CheckSendable() *Error {
	if t.Status == TemplateApproved || t.ProviderStatus == ProviderPaused {
		return nil
	}
	return &Error{Code: CodeInvalidTemplateName, Param: "template.name",
		Message: "The template is not approved: it is " + string(t.Status) + " (" + t.ProviderStatus + " at the provider)."}
}
