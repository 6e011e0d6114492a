package store

import "github.com/parleyhq/parley/internal/chat"

// DeletedAccount returns an account that was disconnected, or ErrNotFound.
func (r Reader) DeletedAccount(orgID, id string) (chat.Account, error) {
	return one(r, scanAccount, accountSelect+" WHERE a.org_id = $1 AND a.id = $2 AND a.deleted_at IS NOT NULL"+r.lockAccount(), orgID, id)
}

// RemoveAccount removes the row of a disconnected account.
func (tx *Tx) RemoveAccount(orgID, id string) error {
	_, err := tx.exec("DELETE FROM accounts WHERE org_id = $1 AND id = $2 AND deleted_at IS NOT NULL", orgID, id)
	return err
}

// purgeable is a table with rows of an account, and the tables whose rows hang on those by a
// column.
type purgeable struct {
	table, column string
	hanging       []string
}

// purgeables are in the order of the purge: what looks for other rows goes first.
var purgeables = []purgeable{
	{"messages", "message_id", []string{"send_jobs", "media_jobs", "held_events"}},
	{"conversations", "conversation_id", []string{"conversation_labels"}},
	{"contacts", "contact_id", []string{"contact_labels"}},
}

// PurgeAccount removes up to limit rows of what a disconnected account had, but for its files, and
// returns how many.
func (tx *Tx) PurgeAccount(orgID, accountID string, limit int) (total int, err error) {
	for _, p := range purgeables {
		n, err := tx.purge(p, orgID, accountID, limit-total)
		if total += n; err != nil || total >= limit {
			return total, err
		}
	}
	return total, nil
}

func (tx *Tx) purge(p purgeable, orgID, accountID string, limit int) (int, error) {
	ids, err := many(tx.Reader, scanText, "SELECT id FROM "+p.table+" WHERE org_id = $1 AND account_id = $2 LIMIT $3", orgID, accountID, limit)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	list := tx.dialect.list(ids)
	for _, table := range p.hanging {
		if err := tx.later("DELETE FROM "+table+" WHERE org_id = $1 AND "+tx.dialect.oneOf(p.column, "$2"), orgID, list); err != nil {
			return 0, err
		}
	}
	return len(ids), tx.later("DELETE FROM "+p.table+" WHERE org_id = $1 AND "+tx.dialect.oneOf("id", "$2"), orgID, list)
}

// MediaOfAccount returns up to limit of an account's files.
func (r Reader) MediaOfAccount(orgID, accountID string, limit int) ([]chat.Media, error) {
	return many(r, scanMedia, "SELECT "+mediaColumns+" FROM media WHERE org_id = $1 AND account_id = $2 LIMIT $3", orgID, accountID, limit)
}

// RemoveMedia removes the rows of files.
func (tx *Tx) RemoveMedia(orgID string, ids []string) error {
	_, err := tx.exec("DELETE FROM media WHERE org_id = $1 AND "+tx.dialect.oneOf("id", "$2"), orgID, tx.dialect.list(ids))
	return err
}
