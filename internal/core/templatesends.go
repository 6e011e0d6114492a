package core

import (
	"github.com/parleyhq/parley/internal/chat"
)

// TemplateChoice is the template of a message, looked up and filled in before the message's
// transaction. Err is why it cannot be sent; it is reported in its turn among the other checks.
type TemplateChoice struct {
	Category string // empty where the provider has not said it
	// Unknown: it could not be looked up, and goes out unchecked.
	Unknown bool
	Preview *chat.TemplatePreview
	Err     error
}

// categoryUnknown is the category of a template that could not be looked up.
const categoryUnknown = "UNKNOWN"

// consentCategory is the category of a template that not everybody wants; empty for all others.
func (t *TemplateChoice) consentCategory() string {
	switch {
	case t == nil:
		return ""
	case t.Unknown:
		return categoryUnknown
	case t.Category == chat.CategoryMarketing:
		return t.Category
	default:
		return ""
	}
}

// checkConsent refuses marketing to those who do not want it. A template that is not known may be
// marketing, and counts as such for those who have said no.
func checkConsent(account chat.Account, contact chat.Contact, category string) error {
	switch {
	case category == "":
		return nil
	case contact.Consent == chat.ConsentOptedOut:
		return chat.Fail(chat.CodeMarketingOptedOut, "The contact does not want marketing messages.")
	case category == chat.CategoryMarketing && account.RequireOptIn && contact.Consent != chat.ConsentOptedIn:
		return chat.Fail(chat.CodeConsentRequired, "This number sends marketing only to contacts who have opted in.")
	}
	return nil
}
