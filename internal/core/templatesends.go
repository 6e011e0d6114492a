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
	// Category is empty where the template is not known: see Choose.
	Category string
	Preview  *chat.TemplatePreview
	Err      error
}

// Choose finds the template that a message names, and checks its parameters. Where an account's
// templates have never been read from the provider, that is done now; if it cannot be done, the
// message goes out unchecked, and the provider decides.
func (s *Templates) Choose(ctx context.Context, account chat.Account, c *chat.TemplateContent, toNumber bool) TemplateChoice {
	t, err := s.find(ctx, account, c)
	if errors.Is(err, errNeverSynced) {
		return TemplateChoice{}
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
	r := s.Store.Read(ctx)
	t, err := r.TemplateToSend(account.OrgID, account.WABAID, c.Name, c.Language.Code)
	if !errors.Is(err, store.ErrNotFound) {
		return t, err
	}
	synced, err := s.syncFirst(ctx, account)
	if err != nil {
		return t, err
	}
	if synced {
		if t, err = r.TemplateToSend(account.OrgID, account.WABAID, c.Name, c.Language.Code); !errors.Is(err, store.ErrNotFound) {
			return t, err
		}
	}
	others, err := r.TemplatesNamed(account.OrgID, account.WABAID, c.Name)
	if err != nil {
		return t, err
	}
	var languages []string
	for _, o := range others {
		languages = append(languages, o.Language)
	}
	return t, chat.UnknownTemplate(c.Name, c.Language.Code, languages)
}

// syncFirst makes sure that the account's templates have been read once, and reports whether that
// happened just now.
func (s *Templates) syncFirst(ctx context.Context, account chat.Account) (bool, error) {
	if known, err := s.everSynced(ctx, account); err != nil || known {
		return false, err
	}
	if s.Provider == nil {
		return false, errNeverSynced
	}
	ctx, cancel := context.WithTimeout(ctx, firstSyncPatience)
	defer cancel()
	key := account.OrgID + " " + account.WABAID
	if s.first.enter(ctx, key) {
		_, err := s.Sync(ctx, account)
		s.first.leave(key)
		if err != nil {
			return false, errNeverSynced
		}
		return true, nil
	}
	if known, err := s.everSynced(context.WithoutCancel(ctx), account); err != nil || known {
		return known, err
	}
	return false, errNeverSynced
}

func (s *Templates) everSynced(ctx context.Context, account chat.Account) (bool, error) {
	state, err := s.Store.Read(ctx).TemplateSync(account.OrgID, account.WABAID)
	return err == nil && state.SyncedAt != nil, ignoreNotFound(err)
}

// checkConsent refuses marketing to those who do not want it. A template that is not known may be
// marketing, and counts as such for those who have said no.
func checkConsent(account chat.Account, contact chat.Contact, t *TemplateChoice) error {
	if t == nil || t.Category != chat.CategoryMarketing && t.Category != "" {
		return nil
	}
	if contact.Consent == chat.ConsentOptedOut {
		return chat.Fail(chat.CodeMarketingOptedOut, "The contact does not want marketing messages.")
	}
	if t.Category == chat.CategoryMarketing && account.RequireOptIn && contact.Consent != chat.ConsentOptedIn {
		return chat.Fail(chat.CodeConsentRequired, "This number sends marketing only to contacts who have opted in.")
	}
	return nil
}
