package core

import (
	"errors"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// AccountByNumber returns the organization's account with that number.
func AccountByNumber(r store.Reader, orgID, phoneNumberID string) (chat.Account, error) {
	account, err := r.AccountByNumber(orgID, phoneNumberID)
	if errors.Is(err, store.ErrNotFound) {
		return account, noSuchNumber()
	}
	return account, err
}

// noSuchNumber is the error for a number that is missing, of another organization, or hidden from the user: its words must
// not tell which.
func noSuchNumber() error {
	return chat.Fail(chat.CodeResourceNotFound, "No such business number. GET /v1/accounts lists yours.")
}

// Seal encrypts an account's token for the store. It gets the account's id, because the sealed token is bound to it.
type Seal func(accountID string) string

// ConnectAccount adds a number to an organization.
func ConnectAccount(tx *store.Tx, in chat.NewAccount, seal Seal) (chat.Account, error) {
	account, err := in.Account()
	if err != nil {
		return chat.Account{}, err
	}
	if _, err := organization(tx.Reader, in.OrgID); err != nil {
		return chat.Account{}, err
	}
	if account.TeamID, err = accountTeam(tx.Reader, in); err != nil {
		return chat.Account{}, err
	}
	account.ID, account.CreatedAt, account.UpdatedAt = tx.NewID(chat.KindAccount), tx.Now(), tx.Now()
	account.Token = seal(account.ID)
	err = tx.InsertAccount(account)
	if errors.Is(err, store.ErrDuplicate) {
		return chat.Account{}, chat.Invalid("phone_number_id", "This number is connected already. A number belongs to one organization of an installation.")
	}
	if err != nil {
		return chat.Account{}, err
	}
	return account, errors.Join(tx.ScheduleTemplateSync(account.OrgID, account.WABAID, tx.Now()),
		audit(tx, account.OrgID, chat.AuditNumberConnected, ofNumber(account)))
}

// ConnectWithToken is ConnectAccount for a number whose owner made a token for us. What the hosted page does at the
// provider for a number, a server does for this one soon after.
func ConnectWithToken(tx *store.Tx, in chat.NewAccount, seal Seal) (chat.Account, error) {
	account, err := ConnectAccount(tx, in, seal)
	if err != nil {
		return chat.Account{}, err
	}
	return account, tx.PutAccountJob(account.OrgID, account.ID, store.JobConnected)
}

// accountTeam picks the team of a new account: the team of its customer, else as for any team-scoped write.
func accountTeam(r store.Reader, in chat.NewAccount) (string, error) {
	if in.CustomerID == nil {
		return pickTeam(r, in.OrgID, in.TeamID)
	}
	team, err := r.CustomerTeam(in.OrgID, *in.CustomerID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return "", chat.Invalid("customer_id", "The organization has no such customer.")
	case err == nil && in.TeamID != "" && in.TeamID != team:
		return "", chat.Invalid("team_id", "The customer belongs to another team. Leave the team out.")
	}
	return team, err
}

// UpdateAccount changes an account. The operator names it by its number alone. A nil seal leaves the token.
//
// A new token repairs a number that the provider no longer let us use, unless the patch says otherwise. A server then does
// what it does for a number that was just connected: the callbacks may be off.
func UpdateAccount(tx *store.Tx, phoneNumberID string, patch chat.AccountPatch, seal Seal) (chat.Account, error) {
	found, err := tx.AccountForCallback(phoneNumberID)
	if err != nil {
		return chat.Account{}, orNotFound(err, "business number")
	}
	account, err := tx.Account(found.OrgID, found.ID) // locks the account
	if err != nil {
		return chat.Account{}, orNotFound(err, "business number")
	}
	if account, err = patch.Apply(account); err != nil {
		return chat.Account{}, err
	}
	account.UpdatedAt = tx.Now()
	if seal != nil {
		account.Token = seal(account.ID)
		if patch.Status == nil && account.Reason() != nil {
			account.Status, account.StatusReason = chat.AccountConnected, nil
		}
		err = errors.Join(overtake(tx, account), tx.PutAccountJob(account.OrgID, account.ID, store.JobConnected))
	}
	return account, errors.Join(err, tx.UpdateAccount(account), audit(tx, account.OrgID, chat.AuditNumberUpdated, ofNumber(account)))
}
