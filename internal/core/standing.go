package core

import (
	"errors"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// Standing is the state that decides whether a number's queued messages may be sent.
type Standing struct {
	Account      chat.Account
	Organization chat.Organization
}

// ReadStanding reads the standing of a number. It returns ErrNotFound if the account is gone.
func ReadStanding(r store.Reader, orgID, accountID string) (s Standing, err error) {
	if s.Account, err = r.Account(orgID, accountID); err != nil {
		return s, err
	}
	s.Organization, err = r.Organization(orgID)
	return s, err
}

// RefuseQueued says why an accepted message must not be sent any more; nil: it may.
func RefuseQueued(r store.Reader, s Standing, w store.SendWork, now time.Time) (*chat.MessageError, error) {
	return refusal(refuseQueued(r, s, w, now, r.Contact))
}

// refusal is the error of a message that is refused.
func refusal(err error) (*chat.MessageError, error) {
	e, ok := errors.AsType[*chat.Error](err)
	if !ok {
		return nil, err
	}
	code := chat.FailUpstream
	if known, ok := refusals[e.Code]; ok {
		code = known
	}
	return &chat.MessageError{Code: code, Message: e.Message}, nil
}

// refusals maps our codes to those that a message's error distinguishes.
var refusals = map[chat.Code]chat.MessageErrorCode{
	chat.CodeOrganizationSuspended: chat.FailOrganizationSuspended,
	chat.CodeSubscriptionInactive:  chat.FailSubscriptionInactive,
	chat.CodeCustomerSuspended:     chat.FailCustomerSuspended,
	chat.CodeAccountRestricted:     chat.FailAccountRestricted,
	chat.CodeMarketingOptedOut:     chat.FailMarketingOptedOut,
	chat.CodeConsentRequired:       chat.FailConsentRequired,
}

// readContact reads a contact of an account.
type readContact func(orgID, accountID, id string) (chat.Contact, error)

func refuseQueued(r store.Reader, s Standing, w store.SendWork, now time.Time, read readContact) error {
	if s.Organization.Suspended {
		return chat.Fail(chat.CodeOrganizationSuspended, "The organization was suspended before the message went out.")
	}
	if err := s.Account.CheckSend(now, w.Message.Type == chat.TypeTemplate); err != nil {
		return err
	}
	if s.Organization.Lapsed(now) {
		return chat.Fail(chat.CodeSubscriptionInactive, "The subscription lapsed before the message went out.")
	}
	if w.Job.Category == "" {
		return nil
	}
	contact, err := followMerge(r, s.Account, w.Message.ContactID, read)
	if err != nil {
		return ignoreNotFound(err)
	}
	return checkConsent(s.Account, contact, w.Job.Category)
}
