package core

import (
	"strings"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// CreateCustomer makes an end-customer in the named team, or in the only one.
func CreateCustomer(tx *store.Tx, orgID string, in chat.NewCustomer) (chat.Customer, error) {
	customer, err := in.Customer()
	if err != nil {
		return chat.Customer{}, err
	}
	if customer.TeamID, err = pickTeam(tx.Reader, orgID, in.TeamID); err != nil {
		return chat.Customer{}, err
	}
	customer.ID, customer.OrgID = tx.NewID(chat.KindCustomer), orgID
	customer.CreatedAt, customer.UpdatedAt = tx.Now(), tx.Now()
	if err := tx.InsertCustomer(customer); err != nil {
		return chat.Customer{}, err
	}
	if err := customerCreated(tx, customer); err != nil {
		return chat.Customer{}, err
	}
	return customer, audit(tx, orgID, chat.AuditCustomerCreated, ofCustomer(customer))
}

// Customer returns one customer.
func Customer(r store.Reader, orgID, id string) (chat.Customer, error) {
	customer, err := r.Customer(orgID, id)
	return customer, orNotFound(err, "customer")
}

// UpdateCustomer changes a customer. A patch that changes nothing leaves updated_at alone.
func UpdateCustomer(tx *store.Tx, orgID, id string, patch chat.CustomerPatch) (chat.Customer, error) {
	customer, err := Customer(tx.Reader, orgID, id)
	if err != nil {
		return chat.Customer{}, err
	}
	before := customer.Status
	customer, changed, err := patch.Apply(customer)
	if err != nil || len(changed) == 0 {
		return customer, err
	}
	customer.UpdatedAt = tx.Now()
	if err := tx.UpdateCustomer(customer); err != nil {
		return chat.Customer{}, err
	}
	if err := customerUpdated(tx, customer, changed); err != nil {
		return chat.Customer{}, err
	}
	return customer, audit(tx, orgID, chat.AuditCustomerUpdated, ofCustomer(customer), "changed", strings.Join(changed, ", "), "status", fromTo(before, customer.Status))
}

// ArchiveCustomer takes a customer out of use. Its numbers stay, but may not send. Doing it again changes nothing.
func ArchiveCustomer(tx *store.Tx, orgID, id string) (chat.Customer, error) {
	customer, err := Customer(tx.Reader, orgID, id)
	before := customer.Status
	if err != nil || !customer.Archive(tx.Now()) {
		return customer, err
	}
	customer.UpdatedAt = tx.Now()
	if err := tx.UpdateCustomer(customer); err != nil {
		return chat.Customer{}, err
	}
	if err := customerArchived(tx, customer); err != nil {
		return chat.Customer{}, err
	}
	return customer, audit(tx, orgID, chat.AuditCustomerUpdated, ofCustomer(customer), "status", fromTo(before, customer.Status))
}

// RestoreCustomer takes a customer out of the archive, back into its earlier state. A customer that is not archived
// stays as it is.
func RestoreCustomer(tx *store.Tx, orgID, id string) (chat.Customer, error) {
	customer, err := Customer(tx.Reader, orgID, id)
	if err != nil || customer.Status != chat.CustomerArchived {
		return customer, err
	}
	return UpdateCustomer(tx, orgID, id, chat.CustomerPatch{Status: new(customer.Restored())})
}

// CustomerAccounts are the connected numbers of a customer, newest first.
func CustomerAccounts(r store.Reader, orgID, customerID string) ([]chat.Account, error) {
	accounts, err := r.Accounts(orgID, store.AccountFilter{CustomerID: customerID}, store.Page{Limit: maxCustomerAccounts})
	return accounts.Rows, err
}

// maxCustomerAccounts bounds how many of a customer's numbers are shown at once; GET /accounts has pages.
const maxCustomerAccounts = 1000
