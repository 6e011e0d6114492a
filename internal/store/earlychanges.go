package store

import (
	"time"
)

// MostEarlyChanges is how many changes of missing messages a number may have; the oldest are deleted.
const MostEarlyChanges = 1000

// EarlyChange is an edit or a revocation that arrived before its message.
type EarlyChange struct {
	OrgID      string
	AccountID  string
	OriginalID string // the provider's id of the message
	ProviderID string // the provider's id of the change
	Kind       string
	Change     []byte
	CreatedAt  time.Time
}

const earlyChangeColumns = "org_id, account_id, original_id, provider_id, kind, change, created_at"

func scanEarlyChange(row scanner) (c EarlyChange, err error) {
	var change string
	var createdAt int64
	err = row.Scan(&c.OrgID, &c.AccountID, &c.OriginalID, &c.ProviderID, &c.Kind, &change, &createdAt)
	c.Change, c.CreatedAt = []byte(change), toTime(createdAt)
	return c, err
}

// InsertEarlyChange stores a change until its message arrives. A repetition is stored once.
func (tx *Tx) InsertEarlyChange(c EarlyChange) error {
	tx.foreseen.changedEarly(providerKey{c.OrgID, c.AccountID, c.OriginalID})
	n, err := tx.exec("INSERT INTO early_changes ("+earlyChangeColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING",
		c.OrgID, c.AccountID, c.OriginalID, c.ProviderID, c.Kind, string(c.Change), c.CreatedAt.UnixMilli())
	if err != nil || n == 0 {
		return err
	}
	return tx.later("DELETE FROM early_changes WHERE "+tx.dialect.oneOfThose("org_id, account_id, original_id, provider_id",
		"early_changes WHERE org_id = $1 AND account_id = $2 ORDER BY created_at DESC, provider_id DESC LIMIT $4 OFFSET $3"), c.OrgID, c.AccountID, MostEarlyChanges, MostEarlyChanges)
}

// Arriving reports whether a message is known, and whether changes of it arrived earlier.
func (r Reader) Arriving(orgID, accountID, providerID string) (known, changed bool, err error) {
	if a, ok := r.foreseen.arrival(providerKey{orgID, accountID, providerID}); ok {
		return a.known, a.changed, nil
	}
	_, err = one(r, func(row scanner) (struct{}, error) { return struct{}{}, row.Scan(&known, &changed) },
		`SELECT EXISTS (SELECT 1 FROM messages WHERE org_id = $1 AND account_id = $2 AND provider_id = $3),
			EXISTS (SELECT 1 FROM early_changes WHERE org_id = $1 AND account_id = $2 AND original_id = $3)`, orgID, accountID, providerID)
	return known, changed, err
}

// TakeEarlyChanges deletes and returns the changes that arrived before a message.
func (tx *Tx) TakeEarlyChanges(orgID, accountID, originalID string) ([]EarlyChange, error) {
	return many(tx.Reader, scanEarlyChange, "DELETE FROM early_changes WHERE org_id = $1 AND account_id = $2 AND original_id = $3 RETURNING "+earlyChangeColumns,
		orgID, accountID, originalID)
}

// MetChanges returns up to limit changes whose message has arrived.
func (r Reader) MetChanges(limit int) ([]EarlyChange, error) {
	return many(r, scanEarlyChange, "SELECT "+earlyChangeColumns+` FROM early_changes e WHERE EXISTS (
			SELECT 1 FROM messages m WHERE m.org_id = e.org_id AND m.account_id = e.account_id AND m.provider_id = e.original_id)
		ORDER BY created_at LIMIT $1`, limit)
}

// PurgeEarlyChanges deletes up to limit changes from before the instant, and returns how many.
func (tx *Tx) PurgeEarlyChanges(before time.Time, limit int) (int64, error) {
	return tx.exec("DELETE FROM early_changes WHERE "+tx.dialect.oneOfThose("org_id, account_id, original_id, provider_id",
		"early_changes WHERE created_at < $1 ORDER BY created_at LIMIT $2"),
		before.UnixMilli(), limit)
}
