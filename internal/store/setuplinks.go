package store

import (
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

const setupLinkColumns = `org_id, id, team_id, customer_id, token_hash, token_last4, status, expires_at, success_redirect_url, failure_redirect_url,
	consumed_at, consumed_by, account_id, created_at`

func scanSetupLink(row scanner) (l chat.SetupLink, err error) {
	var consumedAt *int64
	var expiresAt, createdAt int64
	err = row.Scan(&l.OrgID, &l.ID, &l.TeamID, &l.CustomerID, &l.TokenHash, &l.TokenLast4, &l.Status, &expiresAt,
		&l.SuccessRedirectURL, &l.FailureRedirectURL, &consumedAt, &l.ConsumedBy, &l.AccountID, &createdAt)
	l.ConsumedAt, l.ExpiresAt, l.CreatedAt = toTimePtr(consumedAt), toTime(expiresAt), toTime(createdAt)
	return l, err
}

var setupLinksByAge = order[chat.SetupLink]{alias: "", column: "created_at", position: func(l chat.SetupLink) Position { return Position{l.CreatedAt, l.ID} }}

// SetupLink returns a link of the organization, or ErrNotFound.
func (r Reader) SetupLink(orgID, id string) (chat.SetupLink, error) {
	return one(r, scanSetupLink, "SELECT "+setupLinkColumns+" FROM setup_links WHERE org_id = $1 AND id = $2"+r.forUpdate(), orgID, id)
}

// SetupLinkByToken finds a link of any organization by the hash of its token, or ErrNotFound.
func (r Reader) SetupLinkByToken(hash string) (chat.SetupLink, error) {
	return one(r, scanSetupLink, "SELECT "+setupLinkColumns+" FROM setup_links WHERE token_hash = $1", hash)
}

// SetupLinks returns one page of a customer's links with the status at an instant; an empty status matches any.
func (r Reader) SetupLinks(orgID, customerID string, status chat.SetupLinkStatus, now time.Time, p Page) (Slice[chat.SetupLink], error) {
	var c conditions
	c.add("org_id = ?", orgID)
	c.add("customer_id = ?", customerID)
	switch status {
	case "":
	case chat.LinkActive:
		c.add("status = ? AND expires_at > ?", string(chat.LinkActive), now.UnixMilli())
	case chat.LinkExpired:
		c.add("status = ? AND expires_at <= ?", string(chat.LinkActive), now.UnixMilli())
	default:
		c.add("status = ?", string(status))
	}
	return newestFirst(r, scanSetupLink, "SELECT "+setupLinkColumns+" FROM setup_links", c, setupLinksByAge, p)
}

// InsertSetupLink stores a new link.
func (tx *Tx) InsertSetupLink(l chat.SetupLink) error {
	tx.noteChange(ChangedCustomers, l.OrgID, "")
	_, err := tx.exec("INSERT INTO setup_links ("+setupLinkColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
		l.OrgID, l.ID, l.TeamID, l.CustomerID, l.TokenHash, l.TokenLast4, string(l.Status), l.ExpiresAt.UnixMilli(),
		l.SuccessRedirectURL, l.FailureRedirectURL, msPtr(l.ConsumedAt), l.ConsumedBy, l.AccountID, l.CreatedAt.UnixMilli())
	return err
}

// UpdateSetupLink stores the changeable fields of a link.
func (tx *Tx) UpdateSetupLink(l chat.SetupLink) error {
	tx.noteChange(ChangedCustomers, l.OrgID, "")
	return tx.execOne(`UPDATE setup_links SET status = $3, success_redirect_url = $4, failure_redirect_url = $5, consumed_at = $6,
			consumed_by = $7, account_id = $8
		WHERE org_id = $1 AND id = $2`,
		l.OrgID, l.ID, string(l.Status), l.SuccessRedirectURL, l.FailureRedirectURL, msPtr(l.ConsumedAt), l.ConsumedBy, l.AccountID)
}
