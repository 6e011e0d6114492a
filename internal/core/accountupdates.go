package core

import (
	"slices"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// accountUpdate follows what the provider decides about a business account: all of its numbers,
// or the one it names.
func (a Applier) accountUpdate(tx *store.Tx, u provider.AccountUpdate) error {
	accounts, err := tx.AccountsOfWABA(u.WABAID)
	if err == nil && len(accounts) == 0 && u.Phone != "" { // news of partners come under the partner's id
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
		if err != nil {
			return ignoreNotFound(err)
		}
		if !applyAccountUpdate(&account, u, tx.Now()) {
			continue
		}
		a.Log.Info("account changed by the provider", "account", account.ID, "event", u.Event, "status", account.Status)
		if err := tx.UpdateAccount(account); err != nil {
			return err
		}
	}
	return nil
}

// applyAccountUpdate is the account's part of its state machine; it reports a change.
func applyAccountUpdate(account *chat.Account, u provider.AccountUpdate, now time.Time) bool {
	before := *account
	if !account.Restricted(now, true) && !account.Restricted(now, false) { // what has expired is over
		account.Restriction, account.RestrictedUntil = nil, nil
	}
	switch u.Event {
	case "PARTNER_REMOVED", "PARTNER_APP_UNINSTALLED", "ACCOUNT_DELETED", "ACCOUNT_OFFBOARDED":
		takeOut(account, u.Event)
	case "ACCOUNT_RECONNECTED":
		account.Status = chat.AccountConnected
	case "DISABLED_UPDATE":
		switch u.BanState {
		case "DISABLE":
			takeOut(account, u.Event)
			restrict(account, chat.RestrictAll, nil)
		case "REINSTATE":
			account.Status = chat.AccountConnected
			account.Restriction, account.RestrictedUntil = nil, nil
		}
	case "ACCOUNT_RESTRICTION":
		applyRestrictions(account, u.Restrictions)
	case provider.EventCapability:
		if limit := tierOf(u.MessagingLimit); limit != "" {
			account.MessagingLimit = &limit
		}
	}
	return account.Status != before.Status || deref(account.MessagingLimit) != deref(before.MessagingLimit) || deref(account.Restriction) != deref(before.Restriction) ||
		!deref(account.RestrictedUntil).Equal(deref(before.RestrictedUntil))
}

// takeOut takes an account out of service because the provider says so.
func takeOut(account *chat.Account, event string) {
	if account.Status != chat.AccountDisconnected {
		account.Status, account.StatusReason = chat.AccountDisconnected, new("the provider reports "+event)
	}
}

func applyRestrictions(account *chat.Account, restrictions []provider.Restriction) {
	for _, r := range restrictions {
		kind := chat.RestrictAll
		switch {
		case strings.Contains(r.Type, "BIZ_INITIATED_MESSAGING"):
			kind = chat.RestrictBusiness
		case strings.Contains(r.Type, "CUSTOMER_INITIATED_MESSAGING"):
			kind = chat.RestrictCustomer
		default:
			continue // of calls, templates or adding numbers
		}
		restrict(account, kind, &r)
	}
}

// restrict adds a restriction; two different ones together forbid everything.
func restrict(account *chat.Account, kind chat.Restriction, r *provider.Restriction) {
	if account.Restriction != nil && *account.Restriction != kind {
		kind = chat.RestrictAll
	}
	account.Restriction, account.RestrictedUntil = &kind, nil
	if r != nil && !r.Until.IsZero() {
		account.RestrictedUntil = &r.Until
	}
}

// numberUpdate follows a number's quality and name.
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
	limit := tierOf(u.Limit)
	limited := limit != "" && limit != deref(account.MessagingLimit)
	if limited {
		account.MessagingLimit = &limit
	}
	switch u.Event {
	case "FLAGGED":
		account.Quality = new("RED")
	case "UNFLAGGED":
		account.Quality = new("GREEN")
	case provider.EventNameUpdate:
		if u.NameDecision != "APPROVED" || u.Name == "" {
			return nil
		}
		account.Name = &u.Name
	default:
		if !limited {
			return nil
		}
	}
	return tx.UpdateAccount(account)
}
