package store

import (
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

// HeldSend is a message that a restore keeps from being sent.
type HeldSend struct {
	OrgID     string
	MessageID string
	AccountID string
	Category  string
	HeldAt    time.Time
}

// HoldSends takes every waiting message off its queue, and returns how many. No server may run on the store.
func (tx *Tx) HoldSends() (int64, error) {
	_, err := tx.exec("INSERT INTO held_sends (org_id, message_id, category, held_at) SELECT org_id, message_id, category, $1 FROM send_jobs", tx.Now().UnixMilli())
	if err != nil {
		return 0, err
	}
	return tx.exec("DELETE FROM send_jobs")
}

// HoldBroadcasts pauses running broadcasts and turns scheduled ones into drafts. It returns how many there
// were.
func (tx *Tx) HoldBroadcasts() (int64, error) {
	now := tx.Now().UnixMilli()
	paused, err := tx.exec("UPDATE broadcasts SET status = $1, reason = $2, active = FALSE, owner = '', updated_at = $3 WHERE status = $4",
		chat.BroadcastPaused, chat.ReasonRestored, now, chat.BroadcastSending)
	if err != nil {
		return 0, err
	}
	drafts, err := tx.exec("UPDATE broadcasts SET status = $1, scheduled_at = NULL, updated_at = $2 WHERE status = $3",
		chat.BroadcastDraft, now, chat.BroadcastScheduled)
	return paused + drafts, err
}

// CountHeldSends counts the held messages.
func (r Reader) CountHeldSends() (int, error) {
	return one(r, scanInt, "SELECT COUNT(*) FROM held_sends")
}

// HeldSends returns up to limit held messages after the given one, oldest first.
func (r Reader) HeldSends(after string, limit int) ([]HeldSend, error) {
	return many(r, scanHeldSend, `SELECT h.org_id, h.message_id, m.account_id, h.category, h.held_at FROM held_sends h
		JOIN messages m ON m.org_id = h.org_id AND m.id = h.message_id WHERE h.message_id > $1 ORDER BY h.message_id LIMIT $2`, after, limit)
}

func scanHeldSend(row scanner) (h HeldSend, err error) {
	var at int64
	err = row.Scan(&h.OrgID, &h.MessageID, &h.AccountID, &h.Category, &at)
	h.HeldAt = time.UnixMilli(at).UTC()
	return h, err
}

// ForgetHeldSend ends the hold of a message.
func (tx *Tx) ForgetHeldSend(h HeldSend) error {
	return tx.later("DELETE FROM held_sends WHERE org_id = $1 AND message_id = $2", h.OrgID, h.MessageID)
}
