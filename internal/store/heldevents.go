package store

import "time"

// HeldEvent is an event that waits for the file of its message.
type HeldEvent struct {
	OrgID     string
	AccountID string
	MessageID string
}

// InsertHeldEvent stores the data of an event until the message's file has arrived, or until the instant.
func (tx *Tx) InsertHeldEvent(orgID, messageID string, raw []byte, until time.Time) error {
	return tx.later("INSERT INTO held_events (org_id, message_id, raw, held_until) VALUES ($1, $2, $3, $4)",
		orgID, messageID, string(raw), until.UnixMilli())
}

// TakeHeldEvent deletes and returns the data of a message's event, or ErrNotFound.
func (tx *Tx) TakeHeldEvent(orgID, messageID string) ([]byte, error) {
	return one(tx.Reader, func(row scanner) ([]byte, error) {
		var raw string
		err := row.Scan(&raw)
		return []byte(raw), err
	}, "DELETE FROM held_events WHERE org_id = $1 AND message_id = $2 RETURNING raw", orgID, messageID)
}

// HeldEventsBeyond returns up to limit events whose wait ends by due, or after longest: no event is held that
// long, so the clock was turned back since. Events that arrived after the caller read the clock are not among
// them.
func (r Reader) HeldEventsBeyond(due, longest time.Time, limit int) ([]HeldEvent, error) {
	return many(r, func(row scanner) (h HeldEvent, err error) {
		err = row.Scan(&h.OrgID, &h.AccountID, &h.MessageID)
		return h, err
	}, `SELECT m.org_id, m.account_id, m.id FROM held_events h
			JOIN messages m ON m.org_id = h.org_id AND m.id = h.message_id
			JOIN accounts a ON a.org_id = m.org_id AND a.id = m.account_id AND a.deleted_at IS NULL
		WHERE h.held_until <= $1 OR h.held_until > $2
		ORDER BY h.held_until, h.message_id LIMIT $3`, due.UnixMilli(), fromFuture(longest), limit)
}
