package core

import (
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// DemoteAccount takes an account out of service because a call with it failed; then is the account as it was for that
// call. A status that was set on purpose stays, and so does an account that has a new token since. reason says why,
// for people. DemoteAccount reports whether the account was changed.
func DemoteAccount(tx *store.Tx, then chat.Account, status chat.AccountStatus, reason string) (bool, error) {
	account, err := tx.Account(then.OrgID, then.ID)
	if err != nil || account.Status != chat.AccountConnected || account.Token != then.Token {
		return false, ignoreNotFound(err)
	}
	account.Status, account.StatusReason = status, &reason
	return true, tx.UpdateAccount(account)
}
