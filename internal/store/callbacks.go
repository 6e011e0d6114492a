package store

import (
	"slices"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

// Callback is a provider's callback as it arrived.
type Callback struct {
	ID       string
	Body     []byte
	DueAt    time.Time
	Attempts int
	Owner    string
}

// InsertCallback keeps a callback until it is applied.
func (tx *Tx) InsertCallback(c Callback) error {
	return tx.later("INSERT INTO callbacks (id, body, due_at, attempts, owner) VALUES ($1, $2, $3, $4, $5)",
		c.ID, string(c.Body), c.DueAt.UnixMilli(), c.Attempts, c.Owner)
}

// FinishCallback deletes a callback. It returns false if another node took it over.
func (tx *Tx) FinishCallback(id, owner string) (bool, error) {
	n, err := tx.exec("DELETE FROM callbacks WHERE id = $1 AND owner = $2", id, owner)
	return n > 0, err
}

// PurgeCallbacks deletes up to limit callbacks from before the instant, and returns how many.
func (tx *Tx) PurgeCallbacks(before time.Time, limit int) (int64, error) {
	return tx.exec("DELETE FROM callbacks WHERE "+tx.dialect.oneOfThose("id", "callbacks WHERE id < $1 ORDER BY id LIMIT $2"),
		firstID(chat.KindCallback, before), limit)
}

// RetryCallback schedules another attempt at a callback that could not be applied.
func (tx *Tx) RetryCallback(c Callback) error {
	_, err := tx.exec("UPDATE callbacks SET due_at = $3, attempts = $4 WHERE id = $1 AND owner = $2",
		c.ID, c.Owner, c.DueAt.UnixMilli(), c.Attempts)
	return err
}

// dueNow is the condition for work that is due when it is written. $2 is now. A row that was never tried is due
// whatever its time says: a time in the future means that the clock was turned back.
const dueNow = "(due_at <= $2 OR attempts = 0)"

// ClaimCallbacks gives the node up to limit due callbacks that no living node owns, oldest first for each
// owner, and returns their ids.
func (tx *Tx) ClaimCallbacks(node string, limit int) (claimed []string, err error) {
	dead, err := tx.abandonedBy("callbacks")
	for _, owner := range dead {
		if err != nil || len(claimed) == limit {
			break
		}
		var ids []string
		ids, err = many(tx.Reader, scanText, "UPDATE callbacks SET owner = $1 WHERE "+tx.dialect.oneOfThose("id",
			"callbacks WHERE owner = $4 AND "+dueNow+" ORDER BY id LIMIT $3"+tx.dialect.skipLocked)+" RETURNING id", node, tx.now.UnixMilli(), limit-len(claimed), owner)
		claimed = append(claimed, ids...)
	}
	if err == nil && len(claimed) > 0 {
		err = tx.stillAlive(node)
	}
	slices.Sort(claimed) // RETURNING has no order
	return claimed, err
}

// DueCallbacks returns the ids of up to limit of the node's own due callbacks, oldest first.
func (r Reader) DueCallbacks(node string, now time.Time, limit int) ([]string, error) {
	return many(r, scanText, "SELECT id FROM callbacks WHERE owner = $1 AND "+dueNow+" ORDER BY id LIMIT $3",
		node, now.UnixMilli(), limit)
}

// DueCallback returns one of the node's own due callbacks, or ErrNotFound.
func (r Reader) DueCallback(id, node string, now time.Time) (Callback, error) {
	return one(r, func(row scanner) (c Callback, err error) {
		var body string
		var dueAt int64
		err = row.Scan(&c.ID, &body, &dueAt, &c.Attempts, &c.Owner)
		c.Body, c.DueAt = []byte(body), toTime(dueAt)
		return c, err
	}, "SELECT id, body, due_at, attempts, owner FROM callbacks WHERE owner = $1 AND "+dueNow+" AND id = $3",
		node, now.UnixMilli(), id)
}
