package core

import (
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// SetAccountStatus moves an account to another state of its life.
func SetAccountStatus(tx *store.Tx, orgID, accountID string, status chat.AccountStatus) error {
	account, err := tx.Account(orgID, accountID)
	if err != nil || account.Status == status {
		return ignoreNotFound(err)
	}
	account.Status = status
	return tx.UpdateAccount(account)
}
