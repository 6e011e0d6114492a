package store

import (
	"encoding/json"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

const customerColumns = "org_id, id, team_id, name, email, status, metadata, onboarded_at, archived_at, archived_from, created_at, updated_at"

func scanCustomer(row scanner) (c chat.Customer, err error) {
	var metadata *string
	var onboardedAt, archivedAt *int64
	var createdAt, updatedAt int64
	err = row.Scan(&c.OrgID, &c.ID, &c.TeamID, &c.Name, &c.Email, &c.Status, &metadata, &onboardedAt, &archivedAt, &c.ArchivedFrom, &createdAt, &updatedAt)
	if metadata != nil {
		c.Metadata = json.RawMessage(*metadata)
	}
	c.OnboardedAt, c.ArchivedAt = toTimePtr(onboardedAt), toTimePtr(archivedAt)
	c.CreatedAt, c.UpdatedAt = toTime(createdAt), toTime(updatedAt)
	return c, err
}

// CustomerFilter narrows a list of customers. Empty fields match all.
type CustomerFilter struct {
	Status chat.CustomerStatus
	TeamID string
	Search string // part of the name or address, in any case
}

var customersByAge = order[chat.Customer]{alias: "", column: "created_at", position: func(c chat.Customer) Position { return Position{c.CreatedAt, c.ID} }}

// Customer returns a customer of the organization, or ErrNotFound.
func (r Reader) Customer(orgID, id string) (chat.Customer, error) {
	return one(r, scanCustomer, "SELECT "+customerColumns+" FROM customers WHERE org_id = $1 AND id = $2"+r.forUpdate(), orgID, id)
}

// Customers returns one page of the organization's customers.
func (r Reader) Customers(orgID string, f CustomerFilter, p Page) (Slice[chat.Customer], error) {
	var c conditions
	c.add("org_id = ?", orgID)
	c.addIf("status = ?", string(f.Status))
	c.addIf("team_id = ?", f.TeamID)
	if f.Search != "" {
		c.add(`search_key LIKE ? ESCAPE '\'`, "%"+likeEscaper.Replace(chat.FoldCase(f.Search))+"%")
	}
	return newestFirst(r, scanCustomer, "SELECT "+customerColumns+" FROM customers", c, customersByAge, p)
}

// CustomerTeam returns the team of a customer, or ErrNotFound.
func (r Reader) CustomerTeam(orgID, customerID string) (string, error) {
	return one(r, scanText, "SELECT team_id FROM customers WHERE org_id = $1 AND id = $2", orgID, customerID)
}

// InsertCustomer stores a new customer.
func (tx *Tx) InsertCustomer(c chat.Customer) error {
	tx.noteChange(ChangedCustomers, c.OrgID, "")
	_, err := tx.exec("INSERT INTO customers ("+customerColumns+", search_key) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
		c.OrgID, c.ID, c.TeamID, c.Name, c.Email, string(c.Status), textPtr(c.Metadata), msPtr(c.OnboardedAt), msPtr(c.ArchivedAt),
		string(c.ArchivedFrom), c.CreatedAt.UnixMilli(), c.UpdatedAt.UnixMilli(), c.SearchKey())
	return err
}

// UpdateCustomer stores the changeable fields of a customer.
func (tx *Tx) UpdateCustomer(c chat.Customer) error {
	tx.noteChange(ChangedCustomers, c.OrgID, "")
	tx.noteChange(ChangedNumbers, c.OrgID, "") // which everybody sees, and whose they are
	return tx.execOne(`UPDATE customers SET name = $3, email = $4, status = $5, metadata = $6, onboarded_at = $7, archived_at = $8,
			updated_at = $9, search_key = $10, archived_from = $11
		WHERE org_id = $1 AND id = $2`,
		c.OrgID, c.ID, c.Name, c.Email, string(c.Status), textPtr(c.Metadata), msPtr(c.OnboardedAt), msPtr(c.ArchivedAt),
		c.UpdatedAt.UnixMilli(), c.SearchKey(), string(c.ArchivedFrom))
}

// CustomerHoldings counts what stops when a customer may no longer send. Each count stops at MaxCounted.
type CustomerHoldings struct {
	Numbers           int
	Queued            int
	RunningBroadcasts int // including scheduled and paused ones
	ActiveLinks       int
}

// CustomerHoldings counts what a customer has.
func (r Reader) CustomerHoldings(orgID, customerID string, now time.Time) (h CustomerHoldings, err error) {
	const own = "accounts WHERE org_id = $1 AND customer_id = $2 AND deleted_at IS NULL"
	if h.Numbers, err = r.countUpTo(own, orgID, customerID); err != nil {
		return h, err
	}
	h.Queued, err = r.countUpTo("messages WHERE org_id = $1 AND account_id IN (SELECT id FROM "+own+") AND direction = 'outbound' AND status = 'queued'", orgID, customerID)
	if err != nil {
		return h, err
	}
	h.RunningBroadcasts, err = r.countUpTo("broadcasts WHERE org_id = $1 AND account_id IN (SELECT id FROM "+own+") AND status IN ('scheduled', 'sending', 'paused')", orgID, customerID)
	if err != nil {
		return h, err
	}
	h.ActiveLinks, err = r.countUpTo("setup_links WHERE org_id = $1 AND customer_id = $2 AND status = 'active' AND expires_at > $3", orgID, customerID, now.UnixMilli())
	return h, err
}
