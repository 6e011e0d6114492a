package chat

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
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

// How a template's placeholders are told apart.
const (
	FormatPositional = "positional"
	FormatNamed      = "named"
)

// ProviderPaused is the provider's word for a template that it does not send for a while.
const ProviderPaused = "PAUSED"

// TemplateStatusOf is our status for the provider's.
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

// TemplateGone reports the provider's statuses of a template that it is rid of.
func TemplateGone(provider string) bool {
	return provider == "DELETED" || provider == "PENDING_DELETION"
}

// Template is one language of a message template. It belongs to the provider's business account,
// and so to all numbers of it.
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
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// SetProviderStatus takes over what the provider says of the review.
func (t *Template) SetProviderStatus(status string, reason *string) {
	t.ProviderStatus, t.Status, t.RejectedReason = status, TemplateStatusOf(status), reason
	if t.RejectedReason != nil && (*reason == "" || *reason == "NONE") {
		t.RejectedReason = nil
	}
}

// Parts are the template's components. Those that the provider has and we have no shape for make
// it unreadable as a whole.
func (t Template) Parts() ([]TemplatePart, error) {
	var parts []TemplatePart
	err := json.Unmarshal(t.Components, &parts)
	return parts, err
}

// Content is the text of the body; Variables are its placeholders in order.
func (t Template) Content() (content string, variables []string) {
	parts, _ := t.Parts() // as far as it can be read
	if body := partOf(parts, PartBody); body != nil {
		content = body.Text
	}
	return content, placeholderNames(content)
}

// SearchKey is what a search looks through: the name and all texts.
func (t Template) SearchKey() string {
	parts, _ := t.Parts() // as far as it can be read
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

// Is reports a category, which may be unknown.
func (t Template) Is(category string) bool { return t.Category != nil && *t.Category == category }

// Digest sums up all that a synchronization may change. The addresses of sample files are left
// out: the provider makes new ones for every list.
func (t Template) Digest() string {
	var components any
	if json.Unmarshal(t.Components, &components) != nil {
		components = string(t.Components)
	}
	text, _ := json.Marshal([]any{ // all of it can be
		t.ProviderID, t.ProviderStatus, t.RejectedReason, t.Category, t.Format, t.Quality, t.TTLSeconds, withoutHandles(components),
	})
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// TextDigest sums up what a message of the template looks like.
func (t Template) TextDigest() string {
	return Template{Format: t.Format, Components: t.Components}.Digest()
}

func withoutHandles(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = withoutHandles(v[i])
		}
	case map[string]any:
		delete(v, "header_handle")
		for name := range v {
			v[name] = withoutHandles(v[name])
		}
	}
	return v
}

// templateNamePattern is what a template can be called; one that is called otherwise does not exist.
var templateNamePattern = regexp.MustCompile(`^[a-z0-9_]{1,512}$`)

// ValidTemplateName reports whether a template could have this name.
func ValidTemplateName(name string) bool { return templateNamePattern.MatchString(name) }

// UnknownTemplate is the refusal of a name that the number's account does not have, or has in
// other languages only.
func UnknownTemplate(name, language string, languages []string) *Error {
	if len(languages) == 0 {
		return &Error{Code: CodeInvalidTemplateName, Param: "template.name",
			Message: "This number has no template of this name. POST /v1/{phone_number_id}/templates/sync brings in one that is new at the provider."}
	}
	slices.Sort(languages)
	return &Error{Code: CodeInvalidTemplateName, Param: "template.language",
		Message: "The template " + name + " does not exist in " + language + ", but in " + strings.Join(languages, ", ") + "."}
}

// CheckSendable refuses a template that the provider has not approved. One that is paused goes to
// the provider all the same: pauses end by themselves, and its word is the last.
func (t Template) CheckSendable() *Error {
	if t.Status == TemplateApproved || t.ProviderStatus == ProviderPaused {
		return nil
	}
	return &Error{Code: CodeInvalidTemplateName, Param: "template.name",
		Message: "The template is not approved: it is " + string(t.Status) + " (" + t.ProviderStatus + " at the provider)."}
}
