package store

import (
	"encoding/json"
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
	WrittenAt time.Time
	To        string // the recipient's number or user id
	Type      chat.MessageType
	Content   json.RawMessage
}

// HoldSends takes every waiting message off its queue, and returns how many. No server may run on the store.
func (tx *Tx) HoldSends() (int64, error) {
	_, err := tx.exec("INSERT INTO held_sends (org_id, message_id, category, held_at) SELECT org_id, message_id, category, $1 FROM send_jobs", tx.Now().UnixMilli())
	if err != nil {
		return 0, err
	}
	return tx.exec("DELETE FROM send_jobs")
}

// HoldBroadcasts pauses running broadcasts and turns scheduled ones into drafts, which keep their time for whoever
// decides about them. It returns how many there were.
func (tx *Tx) HoldBroadcasts() (int64, error) {
	now := tx.Now().UnixMilli()
	paused, err := tx.exec("UPDATE broadcasts SET status = $1, reason = $2, active = FALSE, owner = '', updated_at = $3 WHERE status = $4",
		chat.BroadcastPaused, chat.ReasonRestored, now, chat.BroadcastSending)
	if err != nil {
		return 0, err
	}
	drafts, err := tx.exec("UPDATE broadcasts SET status = $1, reason = $2, updated_at = $3 WHERE status = $4",
		chat.BroadcastDraft, chat.ReasonRestored, now, chat.BroadcastScheduled)
	return paused + drafts, err
}

// HeldBroadcasts returns up to limit broadcasts that a restore holds, of all organizations.
func (r Reader) HeldBroadcasts(limit int) ([]chat.Broadcast, error) {
	return many(r, scanBroadcast, "SELECT "+broadcastColumns+" FROM broadcasts WHERE reason = $1 AND status IN ($2, $3) ORDER BY id LIMIT $4",
		chat.ReasonRestored, chat.BroadcastPaused, chat.BroadcastDraft, limit)
}

// CountHeldSends counts the held messages.
func (r Reader) CountHeldSends() (int, error) {
	return one(r, scanInt, "SELECT COUNT(*) FROM held_sends")
}

const heldSelect = `SELECT h.org_id, h.message_id, m.account_id, h.category, h.held_at, m.created_at, COALESCE(c.phone_number, c.bsuid, ''), m.type, m.content
	FROM held_sends h JOIN messages m ON m.org_id = h.org_id AND m.id = h.message_id
	LEFT JOIN contacts c ON c.org_id = m.org_id AND c.id = m.contact_id`

// HeldSend returns one held message, or ErrNotFound.
func (r Reader) HeldSend(messageID string) (HeldSend, error) {
	return one(r, scanHeldSend, heldSelect+" WHERE h.message_id = $1", messageID)
}

// HeldSends returns up to limit held messages, oldest first.
func (r Reader) HeldSends(limit int) ([]HeldSend, error) {
	return many(r, scanHeldSend, heldSelect+" ORDER BY h.message_id LIMIT $1", limit)
}

func scanHeldSend(row scanner) (h HeldSend, err error) {
	var at, written int64
	var content string
	err = row.Scan(&h.OrgID, &h.MessageID, &h.AccountID, &h.Category, &at, &written, &h.To, &h.Type, &content)
	h.HeldAt, h.WrittenAt, h.Content = toTime(at), toTime(written), json.RawMessage(content)
	return h, err
}

// ForgetHeldSend ends the hold of a message.
func (tx *Tx) ForgetHeldSend(h HeldSend) error {
	return tx.later("DELETE FROM held_sends WHERE org_id = $1 AND message_id = $2", h.OrgID, h.MessageID)
}
