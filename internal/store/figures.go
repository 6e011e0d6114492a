package store

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

// SlotLength is the unit in which messages are counted. In every time zone, days begin at a quarter of an hour.
const SlotLength = 15 * time.Minute

// Slot is a quarter of an hour of an organization's messages or webhook deliveries.
type Slot struct {
	OrgID      string
	At         int64 // when it begins, in milliseconds
	Deliveries bool
}

// SlotOf is the slot of an instant.
func SlotOf(orgID string, at time.Time) Slot {
	return Slot{OrgID: orgID, At: at.Truncate(SlotLength).UnixMilli()}
}

// Begin is when the slot begins.
func (s Slot) Begin() time.Time { return time.UnixMilli(s.At).UTC() }

// End is when the next slot begins.
func (s Slot) End() time.Time { return s.Begin().Add(SlotLength) }

// MessageCount is the number of a slot's messages of one kind.
type MessageCount struct {
	AccountID string
	Direction chat.Direction
	Status    chat.MessageStatus
	ErrorCode string // of failed ones
	Count     int64
}

func scanMessageCount(row scanner) (c MessageCount, err error) {
	err = row.Scan(&c.AccountID, &c.Direction, &c.Status, &c.ErrorCode, &c.Count)
	return c, err
}

// noteMessage marks a message's slot to be counted again, once the transaction is durable.
func (tx *Tx) noteMessage(orgID, id string) {
	if tx.hands.Count == nil {
		return
	}
	if slot := SlotOf(orgID, chat.TimeOf(id)); !slices.Contains(tx.work.slots, slot) {
		tx.work.slots = append(tx.work.slots, slot)
	}
}

// CountMessages counts a slot's current messages.
func (r Reader) CountMessages(s Slot) ([]MessageCount, error) {
	return many(r, scanMessageCount, `SELECT account_id, direction, status, COALESCE(error_code, ''), COUNT(*)
		FROM messages WHERE org_id = $1 AND id >= $2 AND id < $3 GROUP BY account_id, direction, status, COALESCE(error_code, '')`,
		s.OrgID, firstID(chat.KindMessage, s.Begin()), firstID(chat.KindMessage, s.End()))
}

// SlotVersion is the version of a slot: how often it was counted.
func (r Reader) SlotVersion(s Slot) (int64, error) {
	version, err := one(r, scanInt64, "SELECT version FROM counted_slots WHERE org_id = $1 AND slot = $2", s.OrgID, s.At)
	if errors.Is(err, ErrNotFound) {
		return 0, nil
	}
	return version, err
}

// PutMessageCounts stores the counts of a slot. It returns false and stores nothing if another node has counted
// the slot since that version.
func (tx *Tx) PutMessageCounts(s Slot, version int64, counts []MessageCount) (bool, error) {
	now, err := one(tx.Reader, scanInt64, `INSERT INTO counted_slots (org_id, slot, version) VALUES ($1, $2, 1)
		ON CONFLICT (org_id, slot) DO UPDATE SET version = counted_slots.version + 1 RETURNING version`, s.OrgID, s.At)
	if err != nil || now != version+1 {
		return false, err
	}
	return true, tx.putInDay(s, counts)
}

// SlotBefore is the last slot with messages that begins before an instant, or ErrNotFound.
func (r Reader) SlotBefore(orgID string, before time.Time) (Slot, error) {
	id, err := one(r, scanText, "SELECT id FROM messages WHERE org_id = $1 AND id < $2 ORDER BY id DESC LIMIT 1",
		orgID, firstID(chat.KindMessage, before))
	return SlotOf(orgID, chat.TimeOf(id)), err
}

// ofAccounts adds a condition on the number to a statement with those arguments.
func (r Reader) ofAccounts(ids []string, args ...any) (string, []any) {
	if ids == nil {
		return "", args
	}
	return " AND " + r.dialect.oneOf("account_id", fmt.Sprintf("$%d", len(args)+1)), append(args, r.dialect.list(ids))
}

// LastHappening is when a conversation last had a happening of the kind.
func (r Reader) LastHappening(conversationID string, what chat.What) (time.Time, error) {
	id, err := one(r, scanText, "SELECT id FROM happenings WHERE conversation_id = $1 AND what = $2 ORDER BY id DESC LIMIT 1",
		conversationID, string(what))
	return chat.TimeOf(id), err
}

// FirstMessageAt is the time of a conversation's first message.
func (r Reader) FirstMessageAt(conversationID string) (time.Time, error) {
	id, err := one(r, scanText, "SELECT id FROM messages WHERE conversation_id = $1 ORDER BY id LIMIT 1", conversationID)
	return chat.TimeOf(id), err
}
