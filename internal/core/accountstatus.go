package core

import (
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// DemoteAccount takes an account out of service because a call failed that was made with it as it
// was then. What was done to it on purpose stands, and so does a token that it got since.
// reason says why, for people. It reports whether the account was changed.
func DemoteAccount(tx *store.Tx, then chat.Account, status chat.AccountStatus, reason string) (bool, error) {
	account, err := tx.Account(then.OrgID, then.ID)
	if err != nil || account.Status != chat.AccountConnected || account.Token != then.Token {
		return false, ignoreNotFound(err)
	}
	account.Status, account.StatusReason = status, &reason
	return true, tx.UpdateAccount(account)
}
