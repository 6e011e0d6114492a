package core

import (
	"errors"
	"strings"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// OnboardError says why a number could not be connected through a link.
type OnboardError struct {
	Reason chat.OnboardReason
	Cause  error
}

func (e *OnboardError) Error() string {
	if e.Cause != nil {
		return string(e.Reason) + ": " + e.Cause.Error()
	}
	return string(e.Reason)
}

func (e *OnboardError) Unwrap() error { return e.Cause }

func refuse(reason chat.OnboardReason) error { return &OnboardError{Reason: reason} }

// Invitation is a setup link with its organization and customer.
type Invitation struct {
	Link         chat.SetupLink
	Organization chat.Organization
	Customer     *chat.Customer // nil: the number will be the organization's own
}

// FindInvitation finds a link by its token.
func FindInvitation(r store.Reader, token string) (Invitation, error) {
	if !chat.WellFormedLinkToken(token) {
		return Invitation{}, refuse(chat.ReasonLinkInvalid)
	}
	link, err := r.SetupLinkByToken(chat.HashToken(token))
	if errors.Is(err, store.ErrNotFound) {
		return Invitation{}, refuse(chat.ReasonLinkInvalid)
	}
	if err != nil {
		return Invitation{}, err
	}
	return invitation(r, link)
}

// InvitationByID finds a link by its id.
func InvitationByID(r store.Reader, orgID, linkID string) (Invitation, error) {
	link, err := r.SetupLink(orgID, linkID)
	if errors.Is(err, store.ErrNotFound) {
		return Invitation{}, refuse(chat.ReasonLinkInvalid)
	}
	if err != nil {
		return Invitation{}, err
	}
	return invitation(r, link)
}

func invitation(r store.Reader, link chat.SetupLink) (Invitation, error) {
	in := Invitation{Link: link}
	var err error
	if in.Organization, err = r.Organization(link.OrgID); err != nil || link.CustomerID == nil {
		return in, err
	}
	customer, err := r.Customer(link.OrgID, *link.CustomerID)
	in.Customer = &customer
	return in, err
}

// Refused says why the link cannot be used now, because of its organization or customer; empty: it can.
func (in Invitation) Refused(r store.Reader) (chat.OnboardReason, error) {
	if in.Organization.Suspended {
		return chat.ReasonLinkInvalid, nil
	}
	if in.Customer != nil {
		if in.Customer.Status == chat.CustomerArchived {
			return chat.ReasonLinkRevoked, nil
		}
		plan, err := r.Plan(in.Organization.Plan)
		if err != nil {
			return "", err
		}
		if !plan.Customers {
			return chat.ReasonLinkInvalid, nil
		}
	}
	return "", nil
}

// Signup is a number that a person has given us access to through a link.
type Signup struct {
	OrgID  string
	LinkID string
	By     string // the browser, hashed
	WABAID string
	Number provider.PhoneNumber
	// Status is the state of the number after its registration, or without one.
	Status chat.AccountStatus
}

// CompleteSignup connects the number, consumes the link and emits the events: all of it, or nothing. Of several
// signups through one link only one succeeds. If the owner has already connected the number, its account gets the new
// token.
func CompleteSignup(tx *store.Tx, in Signup, seal Seal) (chat.Account, Invitation, error) {
	// The link is locked first, so that signups through one link run one by one.
	invited, err := InvitationByID(tx.Reader, in.OrgID, in.LinkID)
	if err != nil {
		return chat.Account{}, Invitation{}, err
	}
	if err := stillOpen(tx, invited); err != nil {
		return chat.Account{}, invited, err
	}
	account, err := connectSignup(tx, invited.Link, in, seal)
	if err != nil {
		return chat.Account{}, invited, err
	}
	link := &invited.Link
	link.Status, link.ConsumedAt, link.ConsumedBy, link.AccountID = chat.LinkConsumed, new(tx.Now()), in.By, &account.ID
	err = errors.Join(
		auditAs(tx, chat.Doer{Kind: chat.DoerLink, ID: link.ID, Name: invited.customerName()}, account.OrgID, chat.AuditNumberConnected, ofNumber(account)),
		tx.UpdateSetupLink(*link),
		tx.PutAccountJob(account.OrgID, account.ID, store.JobConnected),
		tx.ScheduleTemplateSync(account.OrgID, account.WABAID, tx.Now()))
	if err != nil || invited.Customer == nil {
		return account, invited, err
	}
	if err := onboardCustomer(tx, invited.Customer); err != nil {
		return chat.Account{}, invited, err
	}
	return account, invited, customerOnboarded(tx, *link, account, in.Number.Display)
}

func stillOpen(tx *store.Tx, invited Invitation) error {
	if reason := invited.Link.Unusable(tx.Now()); reason != "" {
		return refuse(reason)
	}
	reason, err := invited.Refused(tx.Reader)
	if err == nil && reason != "" {
		err = refuse(reason)
	}
	return err
}

// onboardCustomer marks a customer as onboarded by the first number.
func onboardCustomer(tx *store.Tx, c *chat.Customer) error {
	if c.OnboardedAt != nil && c.Status != chat.CustomerPending {
		return nil
	}
	if c.OnboardedAt == nil {
		c.OnboardedAt = new(tx.Now())
	}
	if c.Status == chat.CustomerPending {
		c.Status = chat.CustomerActive
	}
	c.UpdatedAt = tx.Now()
	return tx.UpdateCustomer(*c)
}

func connectSignup(tx *store.Tx, link chat.SetupLink, in Signup, seal Seal) (chat.Account, error) {
	account, err := chat.NewAccount{
		OrgID: link.OrgID, TeamID: link.TeamID, CustomerID: link.CustomerID, PhoneNumberID: in.Number.ID, PhoneNumber: chat.Digits(in.Number.Display),
		WABAID: in.WABAID, Name: clippedName(in.Number.VerifiedName), Status: in.Status, ProviderStatus: orNil(in.Number.Status),
	}.Account()
	if err != nil {
		return chat.Account{}, &OnboardError{Reason: chat.ReasonSignupFailed, Cause: err}
	}
	account.TeamID, account.Quality, account.MessagingLimit = link.TeamID, orNil(in.Number.Quality), orNil(tierOf(in.Number.Limit))
	account.ID, account.CreatedAt, account.UpdatedAt = tx.NewID(chat.KindAccount), tx.Now(), tx.Now()
	account.Token = seal(account.ID)
	err = tx.InsertAccount(account)
	if errors.Is(err, store.ErrDuplicate) {
		return takeUpAgain(tx, account, seal)
	}
	return account, err
}

// takeUpAgain updates an existing account from a new signup, if it has the same owner.
func takeUpAgain(tx *store.Tx, fresh chat.Account, seal Seal) (chat.Account, error) {
	known, err := tx.AccountForCallback(*fresh.PhoneNumberID)
	if err != nil {
		return chat.Account{}, err
	}
	if known.OrgID != fresh.OrgID || deref(known.CustomerID) != deref(fresh.CustomerID) {
		return chat.Account{}, refuse(chat.ReasonNumberTaken)
	}
	if known, err = tx.Account(known.OrgID, known.ID); err != nil { // locks the account
		return chat.Account{}, err
	}
	if known.WABAID != fresh.WABAID { // what the provider forbade the other business account
		known.SetRestrictions(nil)
	}
	known.Token, known.WABAID, known.PhoneNumber, known.Name = seal(known.ID), fresh.WABAID, fresh.PhoneNumber, fresh.Name
	known.Status, known.StatusReason, known.ProviderStatus, known.Quality = fresh.Status, nil, fresh.ProviderStatus, fresh.Quality
	if fresh.MessagingLimit != nil {
		known.MessagingLimit = fresh.MessagingLimit
	}
	known.UpdatedAt = tx.Now()
	return known, errors.Join(tx.UpdateAccount(known), overtake(tx, known))
}

func clippedName(name string) *string {
	if runes := []rune(strings.ReplaceAll(name, "\x00", "")); len(runes) > 200 {
		name = string(runes[:200])
	}
	return orNil(name)
}

// customerName is the name of the number's customer; empty if the number is the organization's own.
func (in Invitation) customerName() string {
	if in.Customer == nil {
		return ""
	}
	return in.Customer.Name
}
