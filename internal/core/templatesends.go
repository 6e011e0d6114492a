package core

import (
	"github.com/parleyhq/parley/internal/chat"
)

// TemplateChoice is the template of a message, found and filled in before the message's transaction. Err says why it
// cannot be sent; it is reported in its place among the other checks.
type TemplateChoice struct {
	Category string // empty if the provider has not given it
	// Unknown: the template could not be looked up, and is sent unchecked.
	Unknown bool
	Preview *chat.TemplatePreview
	Err     error
}

// categoryUnknown is the category of a template that could not be looked up.
const categoryUnknown = "UNKNOWN"

// consentCategory is the category of a template that a person may have refused, marketing or unknown; empty for all
// others.
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

// checkConsent refuses marketing to people who do not want it. An unknown template may be marketing, and counts as
// such for people who have opted out.
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
