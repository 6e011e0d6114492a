package core

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// NumberOf is an account in the form that the provider's client needs.
func NumberOf(account chat.Account, token func(chat.Account) (string, error)) (provider.Number, error) {
	text, err := token(account)
	return provider.Number{PhoneNumberID: deref(account.PhoneNumberID), WABAID: account.WABAID, Token: text}, err
}

// SetRequireOptIn sets whether people must have agreed before a number sends them marketing.
func SetRequireOptIn(tx *store.Tx, orgID, accountID string, required bool) (chat.Account, error) {
	account, err := tx.Account(orgID, accountID)
	if err != nil {
		return chat.Account{}, orNotFound(err, "business number")
	}
	if account.RequireOptIn == required {
		return account, nil
	}
	account.RequireOptIn, account.UpdatedAt = required, tx.Now()
	return account, errors.Join(tx.UpdateAccount(account),
		audit(tx, orgID, chat.AuditNumberUpdated, ofNumber(account), "changed", "require_opt_in", "require_opt_in", strconv.FormatBool(required)))
}

// KeepStanding stores the provider's state of a number, unless the account's has changed since the provider was asked; then
// is the account as it was before that. A number that was registered before and must be registered again is degraded.
func KeepStanding(tx *store.Tx, then chat.Account, info provider.PhoneNumber) (chat.Account, error) {
	current, err := tx.Account(then.OrgID, then.ID)
	if err != nil {
		return chat.Account{}, orNotFound(err, "business number")
	}
	if !overtaken(then, current) {
		takeStanding(&current, info)
	}
	takeRating(&current, info)
	if name := clippedName(info.VerifiedName); name != nil {
		current.Name = name
	}
	stored := current
	stored.UpdatedAt = tx.Now()
	return stored, tx.UpdateAccount(current)
}

// overtaken tells whether an account's state was changed while the provider was called, such as by a callback that came
// meanwhile: what the call has found is older.
func overtaken(then, now chat.Account) bool {
	return now.Status != then.Status || deref(now.Reason()) != deref(then.Reason())
}

func takeStanding(account *chat.Account, info provider.PhoneNumber) {
	before := account.Status
	account.Status = info.Standing()
	if account.Status == chat.AccountOnboarding && before != chat.AccountOnboarding {
		account.Status = chat.AccountDegraded
	}
	account.StatusReason = nil
	if account.Status != chat.AccountConnected {
		account.StatusReason = new("the provider reports " + info.Status)
	}
	account.ProviderStatus = orNil(info.Status)
}

// KeepRating stores the provider's rating of a number, and how many people it may write to.
func KeepRating(tx *store.Tx, account chat.Account, info provider.PhoneNumber) error {
	current, err := tx.Account(account.OrgID, account.ID)
	if err != nil {
		return ignoreNotFound(err)
	}
	before := current
	takeRating(&current, info)
	if deref(current.Quality) == deref(before.Quality) && deref(current.MessagingLimit) == deref(before.MessagingLimit) {
		return nil
	}
	return tx.UpdateAccount(current)
}

func takeRating(account *chat.Account, info provider.PhoneNumber) {
	if info.Quality != "" {
		account.Quality = &info.Quality
	}
	if limit := tierOf(info.Limit); limit != "" {
		account.MessagingLimit = &limit
	}
}

// NoteProfile records in the audit log that a number's profile was changed.
func NoteProfile(tx *store.Tx, account chat.Account, fields []string) error {
	return audit(tx, account.OrgID, chat.AuditNumberProfile, ofNumber(account), "changed", strings.Join(fields, ", "))
}

// registrationLease is how long a registration may take before another may be tried.
const registrationLease = 2 * time.Minute

// BeginRegistration takes the right to register a number, which only one caller has at a time.
func BeginRegistration(tx *store.Tx, account chat.Account) (chat.Account, error) {
	current, err := tx.Account(account.OrgID, account.ID)
	if err != nil {
		return chat.Account{}, orNotFound(err, "account")
	}
	if current.RegisteringUntil != nil && registering(tx.Now(), *current.RegisteringUntil) {
		return chat.Account{}, chat.Fail(chat.CodeRegistrationInProgress, "A registration of this number is running. Wait for it to end.")
	}
	until := tx.Now().Add(registrationLease)
	current.RegisteringUntil = &until
	return current, tx.UpdateAccount(current)
}

// registering reports whether a registration may still be running. No lease has much more than its length left: if one
// seems to, the clock was turned back since it began.
func registering(now, until time.Time) bool {
	left := until.Sub(now)
	return left > 0 && left <= 2*registrationLease
}

// EndRegistration gives the right back. then is the account as it was when the registration began, and status the
// provider's state of a number that was registered; nil: the registration failed.
func EndRegistration(tx *store.Tx, then chat.Account, status *string) (chat.Account, error) {
	current, err := tx.Account(then.OrgID, then.ID)
	if err != nil {
		return chat.Account{}, orNotFound(err, "account")
	}
	current.RegisteringUntil = nil
	if status == nil {
		return current, tx.UpdateAccount(current)
	}
	if !overtaken(then, current) {
		current.Status, current.ProviderStatus = chat.AccountConnected, status
	}
	return current, errors.Join(tx.UpdateAccount(current), audit(tx, current.OrgID, chat.AuditNumberRegister, ofNumber(current)))
}
