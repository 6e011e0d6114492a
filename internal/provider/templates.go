package provider

import (
	"encoding/json"
	"errors"
)

// ErrNoApp is why samples cannot be uploaded: the upstream's app is unknown.
var ErrNoApp = errors.New("the provider's app is not known: set --provider-app-id")

// Template is one language of a template in the upstream's account.
type Template struct {
	ID             string
	Name           string
	Language       string
	Status         string // APPROVED, PENDING, PAUSED, …
	RejectedReason string
	Category       string
	Format         string // positional, named
	Quality        string // GREEN, YELLOW, RED, UNKNOWN
	TTLSeconds     *int
	Components     json.RawMessage // nil in the answer to a creation
}

// TemplateQuery asks for a page of templates.
type TemplateQuery struct {
	Name  string // empty: all
	After string // Next of the previous page
}

// TemplatePage is a page of templates. Next is empty on the last.
type TemplatePage struct {
	Templates []Template
	Next      string
}

// NewTemplate is a template to be reviewed.
type NewTemplate struct {
	Name       string
	Language   string
	Category   string
	Format     string
	TTLSeconds *int
	Components json.RawMessage
}

// TemplateEdit has the fields to change. The template is reviewed again.
type TemplateEdit struct {
	Category   string
	TTLSeconds *int
	Components json.RawMessage
}

// Subcodes of the upstream's refusals about templates.
const (
	subcodeTooManyTemplates = 2388019
	subcodeTemplateLeaving  = 2388023
	subcodeTemplateExists   = 2388024
	subcodeTemplateMissing  = 2593002
)

// TemplateExists reports that the account already has this name in this language.
func (e *Error) TemplateExists() bool { return e.Subcode == subcodeTemplateExists }

// TemplateMissing reports that the account has no such template.
func (e *Error) TemplateMissing() bool { return e.Subcode == subcodeTemplateMissing }

// AboutTemplateName reports that the account cannot have a template of this name now: it has too many, or the
// last one of that name is still being deleted.
func (e *Error) AboutTemplateName() bool {
	return e.Subcode == subcodeTooManyTemplates || e.Subcode == subcodeTemplateLeaving
}
