package core

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// accountUpdate applies the provider's decisions about a business account to all of its numbers, or to the one that
// the update names.
func (a Applier) accountUpdate(tx *store.Tx, u provider.AccountUpdate) error {
	accounts, err := tx.AccountsOfWABA(u.WABAID)
	if err == nil && len(accounts) == 0 && u.Phone != "" { // news about partners carry the partner's id
		accounts, err = tx.AccountsByPhone(u.Phone)
	}
	if err != nil {
		return err
	}
	for _, account := range accounts {
		if u.Phone != "" && deref(account.PhoneNumber) != u.Phone {
			continue
		}
		account, err := tx.Account(account.OrgID, account.ID) // again, to lock it
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		fresh, err := noteReports(tx, account, u.ReportedAt, aspectsOf(u)...)
		if err != nil {
			return err
		}
		if !applyAccountUpdate(&account, u, fresh, tx.Now()) {
			continue
		}
		a.Log.Info("account changed by the provider", "account", account.ID, "event", u.Event, "status", account.Status)
		if err := tx.UpdateAccount(account); err != nil {
			return err
		}
	}
	return nil
}

// aspects are parts of an account's standing.
type aspects map[chat.AccountAspect]bool

// noteReports notes that the provider reported on aspects of an account. It returns the aspects without a later
// report, because callbacks come in any order, and again. A report without a time counts as made now.
func noteReports(tx *store.Tx, account chat.Account, at time.Time, all ...chat.AccountAspect) (fresh aspects, err error) {
	fresh = aspects{}
	for _, aspect := range all {
		fresh[aspect] = true
		if !at.IsZero() {
			if fresh[aspect], err = tx.NoteReport(account, aspect, at); err != nil {
				return nil, err
			}
		}
	}
	return fresh, nil
}

// clockDifference is how far the provider's clock may be from ours.
const clockDifference = time.Minute

// overtake protects an account that was just connected again: an older report of the provider, late or repeated,
// cannot take it out of service.
func overtake(tx *store.Tx, account chat.Account) error {
	_, err := tx.NoteReport(account, chat.AspectStatus, tx.Now().Add(-clockDifference))
	return err
}

// aspectsOf are the aspects that an update is about.
func aspectsOf(u provider.AccountUpdate) (all []chat.AccountAspect) {
	switch u.Event {
	case "PARTNER_REMOVED", "PARTNER_APP_UNINSTALLED", "ACCOUNT_DELETED", "ACCOUNT_OFFBOARDED", "ACCOUNT_RECONNECTED":
		return []chat.AccountAspect{chat.AspectStatus}
	case "DISABLED_UPDATE":
		if u.BanState == "DISABLE" || u.BanState == "REINSTATE" {
			return []chat.AccountAspect{chat.AspectStatus, chat.AspectOpening, chat.AspectAnswering}
		}
	case "ACCOUNT_RESTRICTION":
		for _, r := range u.Restrictions {
			if aspect := restrictionOf(r); aspect != "" {
				all = append(all, aspect)
			}
		}
	case provider.EventCapability:
		if tierOf(u.MessagingLimit) != "" {
			return []chat.AccountAspect{chat.AspectLimit}
		}
	}
	return all
}

// applyAccountUpdate changes the account as the update says, for the aspects on which the update is the latest report.
// It reports whether the account changed.
func applyAccountUpdate(account *chat.Account, u provider.AccountUpdate, fresh aspects, now time.Time) bool {
	before := *account
	applyStatus(account, u, fresh[chat.AspectStatus])
	ends := account.Restrictions(now) // without those that have ended
	for aspect, kind := range restrictedBy {
		switch {
		case !fresh[aspect]:
		case u.BanState == "DISABLE":
			ends[kind] = nil
		case u.BanState == "REINSTATE":
			delete(ends, kind)
		}
	}
	if u.Event == "ACCOUNT_RESTRICTION" {
		restrict(ends, u.Restrictions, fresh)
	}
	account.SetRestrictions(ends)
	if fresh[chat.AspectLimit] {
		account.MessagingLimit = new(tierOf(u.MessagingLimit))
	}
	return account.Status != before.Status || deref(account.MessagingLimit) != deref(before.MessagingLimit) || deref(account.Restriction) != deref(before.Restriction) ||
		!deref(account.RestrictedUntil).Equal(deref(before.RestrictedUntil)) || deref(account.RestrictedThen) != deref(before.RestrictedThen) ||
		!deref(account.RestrictedThenUntil).Equal(deref(before.RestrictedThenUntil))
}

// applyStatus puts an account in or out of service.
func applyStatus(account *chat.Account, u provider.AccountUpdate, fresh bool) {
	switch {
	case !fresh:
	case u.Event == "ACCOUNT_RECONNECTED", u.BanState == "REINSTATE":
		account.Status = chat.AccountConnected
	default:
		takeOut(account, u.Event)
	}
}

// takeOut takes an account out of service because the provider says so.
func takeOut(account *chat.Account, event string) {
	if account.Status != chat.AccountDisconnected {
		account.Status, account.StatusReason = chat.AccountDisconnected, new("the provider reports "+event)
	}
}

// restrict notes the ends of restrictions.
func restrict(ends chat.RestrictionEnds, restrictions []provider.Restriction, fresh aspects) {
	for _, r := range restrictions {
		aspect := restrictionOf(r)
		switch {
		case !fresh[aspect]:
		case r.Until.IsZero():
			ends[restrictedBy[aspect]] = nil
		default:
			ends[restrictedBy[aspect]] = &r.Until
		}
	}
}

// restrictedBy maps an aspect to what its restriction forbids.
var restrictedBy = map[chat.AccountAspect]chat.Restriction{chat.AspectOpening: chat.RestrictBusiness, chat.AspectAnswering: chat.RestrictCustomer}

// restrictionOf is the aspect that a restriction is about. Restrictions of calls, templates or adding numbers have
// none.
func restrictionOf(r provider.Restriction) chat.AccountAspect {
	switch {
	case strings.Contains(r.Type, "BIZ_INITIATED_MESSAGING"):
		return chat.AspectOpening
	case strings.Contains(r.Type, "CUSTOMER_INITIATED_MESSAGING"):
		return chat.AspectAnswering
	default:
		return ""
	}
}

// numberUpdate applies news of a number's quality and name.
func (a Applier) numberUpdate(tx *store.Tx, u provider.NumberUpdate) error {
	accounts, err := tx.AccountsOfWABA(u.WABAID)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(accounts, func(acc chat.Account) bool { return deref(acc.PhoneNumber) == u.Phone })
	if i < 0 {
		return nil
	}
	account, err := tx.Account(accounts[i].OrgID, accounts[i].ID)
	if err != nil {
		return ignoreNotFound(err)
	}
	before := account
	if err := applyNumberUpdate(tx, &account, u); err != nil || account == before {
		return err
	}
	return tx.UpdateAccount(account)
}

// applyNumberUpdate copies the update into the account, for the aspects on which it is the latest report.
func applyNumberUpdate(tx *store.Tx, account *chat.Account, u provider.NumberUpdate) error {
	limit, quality := tierOf(u.Limit), map[string]string{"FLAGGED": "RED", "UNFLAGGED": "GREEN"}[u.Event]
	named := u.Event == provider.EventNameUpdate && u.NameDecision == "APPROVED" && u.Name != ""
	var about []chat.AccountAspect
	if limit != "" {
		about = append(about, chat.AspectLimit)
	}
	if quality != "" {
		about = append(about, chat.AspectQuality)
	}
	if named {
		about = append(about, chat.AspectName)
	}
	fresh, err := noteReports(tx, *account, u.ReportedAt, about...)
	if err != nil {
		return err
	}
	if fresh[chat.AspectLimit] && limit != deref(account.MessagingLimit) {
		account.MessagingLimit = &limit
	}
	if fresh[chat.AspectQuality] {
		account.Quality = &quality
	}
	if fresh[chat.AspectName] {
		account.Name = &u.Name
	}
	return nil
}
