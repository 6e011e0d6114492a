package core

import (
	"errors"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// DisconnectCustomerAccount takes a number from the customer who owns it.
func DisconnectCustomerAccount(tx *store.Tx, orgID, customerID, phoneNumberID string) (chat.Account, error) {
	if _, err := Customer(tx.Reader, orgID, customerID); err != nil {
		return chat.Account{}, err
	}
	account, err := tx.AccountByNumber(orgID, phoneNumberID)
	if err == nil && deref(account.CustomerID) != customerID {
		err = store.ErrNotFound
	}
	if err != nil {
		return chat.Account{}, orNotFound(err, "business number of this customer")
	}
	return account, disconnect(tx, account)
}

// DisconnectAccount takes a number from an organization, whether the organization or one of its customers owns it.
func DisconnectAccount(tx *store.Tx, orgID, phoneNumberID string) (chat.Account, error) {
	account, err := AccountByNumber(tx.Reader, orgID, phoneNumberID)
	if err != nil {
		return chat.Account{}, err
	}
	return account, disconnect(tx, account)
}

// disconnect removes the account from every operation. It leaves a job that ends the provider's callbacks and removes
// all data of the account. Templates belong to the business account. They go with its last number, which the next
// synchronization notices.
func disconnect(tx *store.Tx, account chat.Account) error {
	if err := tx.DeleteAccount(account.OrgID, account.ID, tx.Now()); err != nil {
		return orNotFound(err, "business number")
	}
	return errors.Join(
		audit(tx, account.OrgID, chat.AuditNumberGone, ofNumber(account)),
		tx.PutAccountJob(account.OrgID, account.ID, store.JobDisconnected),
		tx.ScheduleTemplateSync(account.OrgID, account.WABAID, tx.Now()))
}

// PurgeBatch removes up to limit rows of a disconnected account and returns how many.
func PurgeBatch(tx *store.Tx, account chat.Account, limit int) (int64, error) {
	return tx.PurgeAccount(account.OrgID, account.ID, limit)
}
