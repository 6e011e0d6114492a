package store

import (
	"encoding/json"
	"time"
)

// BulkUndo is one slice of a bulk change of conversations, with the data to undo it.
type BulkUndo struct {
	OrgID  string
	ID     string
	Slice  int
	UserID string
	Change json.RawMessage
	Before json.RawMessage
}

// InsertBulkUndo stores how to undo a slice.
func (tx *Tx) InsertBulkUndo(u BulkUndo) error {
	return tx.later("INSERT INTO bulk_undos (org_id, id, slice, user_id, change, before, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)",
		u.OrgID, u.ID, u.Slice, u.UserID, string(u.Change), string(u.Before), tx.now.UnixMilli())
}

// TakeBulkUndo deletes and returns a slice of a user's change made since the instant, or ErrNotFound if none is
// left.
func (tx *Tx) TakeBulkUndo(orgID, userID, id string, since time.Time) (BulkUndo, error) {
	return one(tx.Reader, func(row scanner) (u BulkUndo, err error) {
		u.OrgID, u.UserID, u.ID = orgID, userID, id
		var change, before string
		err = row.Scan(&u.Slice, &change, &before)
		u.Change, u.Before = json.RawMessage(change), json.RawMessage(before)
		return u, err
	}, `DELETE FROM bulk_undos WHERE org_id = $1 AND id = $2 AND slice = (SELECT MIN(slice) FROM bulk_undos WHERE org_id = $1 AND id = $2)
		AND user_id = $3 AND created_at >= $4 RETURNING slice, change, before`, orgID, id, userID, since.UnixMilli())
}

// PurgeBulkUndos deletes slices that can no longer be undone.
func (tx *Tx) PurgeBulkUndos(before time.Time, limit int) (int64, error) {
	return tx.exec(`DELETE FROM bulk_undos WHERE (org_id, id, slice) IN
		(SELECT org_id, id, slice FROM bulk_undos WHERE created_at < $1 LIMIT $2)`, before.UnixMilli(), limit)
}
