package core

import (
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// DemoteAccount takes an account out of service because a call of its failed. What was done to it
// on purpose stands.
func DemoteAccount(tx *store.Tx, orgID, accountID string, status chat.AccountStatus) error {
	account, err := tx.Account(orgID, accountID)
	if err != nil || account.Status != chat.AccountConnected {
		return ignoreNotFound(err)
	}
	account.Status = status
	return tx.UpdateAccount(account)
}
