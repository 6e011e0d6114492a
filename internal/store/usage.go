package store

import (
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

// Usage counts what an organization stores.
type Usage struct {
	Numbers int64
	Users   int64 // without disabled ones
	Files   int64
	Bytes   int64 // of the files
}

// Usage counts what an organization stores.
func (r Reader) Usage(orgID string) (Usage, error) {
	return one(r, func(row scanner) (u Usage, err error) {
		err = row.Scan(&u.Numbers, &u.Users, &u.Files, &u.Bytes)
		return u, err
	}, `SELECT (SELECT COUNT(*) FROM accounts WHERE org_id = $1 AND deleted_at IS NULL),
		(SELECT COUNT(*) FROM users WHERE org_id = $1 AND disabled_at IS NULL),
		(SELECT COUNT(size) FROM media WHERE org_id = $1),
		(SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM media WHERE org_id = $1)`, orgID)
}

// MessagesBefore counts an organization's messages from before an instant, up to most.
func (r Reader) MessagesBefore(orgID string, before time.Time, most int) (int64, error) {
	return one(r, scanInt64, "SELECT COUNT(*) FROM (SELECT 1 FROM messages WHERE org_id = $1 AND id < $2 LIMIT $3) m",
		orgID, firstID(chat.KindMessage, before), most)
}
