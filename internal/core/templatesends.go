package core

import (
	"context"
	"errors"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// firstSyncPatience is how long a send waits for the first synchronization of its account.
const firstSyncPatience = 10 * time.Second

// TemplateChoice is the template of a message, looked up and filled in before the message's
// transaction. Err is why it cannot be sent; it is reported in its turn among the other checks.
type TemplateChoice struct {
	Category string // empty where the provider has not said it
	// Unknown: it could not be looked up, and goes out unchecked.
	Unknown bool
	Preview *chat.TemplatePreview
	Err     error
}

// Choose finds the template that a message names, and checks its parameters. Where an account's
// templates have never been read from the provider, that is done now; if it cannot be done, the
// message goes out unchecked, and the provider decides.
func (s *Templates) Choose(ctx context.Context, account chat.Account, c *chat.TemplateContent, toNumber bool) TemplateChoice {
	t, err := s.find(ctx, account, c)
	if errors.Is(err, errNeverSynced) {
		return TemplateChoice{Unknown: true}
	}
	if err != nil {
		return TemplateChoice{Err: err}
	}
	choice := TemplateChoice{Category: deref(t.Category)}
	if e := t.CheckSendable(); e != nil {
		choice.Err = e
		return choice
	}
	if t.Is(chat.CategoryAuthentication) && !toNumber {
		choice.Err = chat.Invalid("recipient", "Authentication templates go to phone numbers only: give to.")
		return choice
	}
	preview, e := t.Fill(c)
	if e != nil {
		choice.Err = e
		return choice
	}
	choice.Preview = &preview
	return choice
}

var errNeverSynced = errors.New("the account's templates were never synchronized")

// find reads a template. Only what is not found costs more than that.
func (s *Templates) find(ctx context.Context, account chat.Account, c *chat.TemplateContent) (chat.Template, error) {
	t, err := s.Store.Read(ctx).TemplateToSend(account.OrgID, account.WABAID, c.Name, c.Language.Code)
	if errors.Is(err, store.ErrNotFound) {
		return s.findMissed(ctx, account, c)
	}
	return t, err
}

// findMissed looks again for a template that was not found, once the account's templates are known
// to have been read. A synchronization may have ended since the first look, so this one look tells
// both whether the template is there and which languages there are instead.
func (s *Templates) findMissed(ctx context.Context, account chat.Account, c *chat.TemplateContent) (chat.Template, error) {
	if err := s.syncFirst(ctx, account); err != nil {
		return chat.Template{}, err
	}
	variants, err := s.Store.Read(ctx).TemplatesNamed(account.OrgID, account.WABAID, c.Name)
	if err != nil {
		return chat.Template{}, err
	}
	var languages []string
	for _, t := range variants {
		if t.Language == c.Language.Code {
			return t, nil
		}
		languages = append(languages, t.Language)
	}
	return chat.Template{}, chat.UnknownTemplate(c.Name, c.Language.Code, languages)
}

// syncFirst makes sure that the account's templates have been read once.
func (s *Templates) syncFirst(ctx context.Context, account chat.Account) error {
	if known, err := s.everSynced(ctx, account); err != nil || known {
		return err
	}
	if s.Provider == nil {
		return errNeverSynced
	}
	ctx, cancel := context.WithTimeout(ctx, firstSyncPatience)
	defer cancel()
	key := account.OrgID + " " + account.WABAID
	if s.first.enter(ctx, key) {
		_, err := s.Sync(ctx, account)
		s.first.leave(key)
		if err != nil {
			return errNeverSynced
		}
		return nil
	}
	if known, err := s.everSynced(context.WithoutCancel(ctx), account); err != nil || known {
		return err
	}
	return errNeverSynced
}

func (s *Templates) everSynced(ctx context.Context, account chat.Account) (bool, error) {
	state, err := s.Store.Read(ctx).TemplateSync(account.OrgID, account.WABAID)
	return err == nil && state.SyncedAt != nil, ignoreNotFound(err)
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
