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

// MessageCount is the number of messages of one kind.
type MessageCount struct {
	Slot      int64
	AccountID string
	Direction chat.Direction
	Status    chat.MessageStatus
	ErrorCode string // of failed ones
	Count     int64
}

func scanMessageCount(row scanner) (c MessageCount, err error) {
	err = row.Scan(&c.Slot, &c.AccountID, &c.Direction, &c.Status, &c.ErrorCode, &c.Count)
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
	return many(r, scanMessageCount, `SELECT CAST($4 AS BIGINT), account_id, direction, status, COALESCE(error_code, ''), COUNT(*)
		FROM messages WHERE org_id = $1 AND id >= $2 AND id < $3 GROUP BY account_id, direction, status, COALESCE(error_code, '')`,
		s.OrgID, firstID(chat.KindMessage, s.Begin()), firstID(chat.KindMessage, s.End()), s.At)
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
	if err != nil {
		return false, err
	}
	if now != version+1 {
		return false, nil
	}
	if err := tx.later("DELETE FROM message_counts WHERE org_id = $1 AND slot = $2", s.OrgID, s.At); err != nil {
		return false, err
	}
	for _, c := range counts {
		err := tx.later(`INSERT INTO message_counts (org_id, slot, account_id, direction, status, error_code, count)
			VALUES ($1, $2, $3, $4, $5, $6, $7)`, s.OrgID, s.At, c.AccountID, string(c.Direction), string(c.Status), c.ErrorCode, c.Count)
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

// SlotBefore is the last slot with messages that begins before an instant, or ErrNotFound.
func (r Reader) SlotBefore(orgID string, before time.Time) (Slot, error) {
	id, err := one(r, scanText, "SELECT id FROM messages WHERE org_id = $1 AND id < $2 ORDER BY id DESC LIMIT 1",
		orgID, firstID(chat.KindMessage, before))
	return SlotOf(orgID, chat.TimeOf(id)), err
}

// MessageCounts returns an organization's counts from an instant (inclusive) until another (exclusive).
// accountIDs limits the numbers; nil: all.
func (r Reader) MessageCounts(orgID string, accountIDs []string, from, until time.Time) ([]MessageCount, error) {
	which, args := r.ofAccounts(accountIDs, orgID, from.UnixMilli(), until.UnixMilli())
	return many(r, scanMessageCount, `SELECT slot, '', direction, status, error_code, SUM(count) FROM message_counts
		WHERE org_id = $1 AND slot >= $2 AND slot < $3`+which+` GROUP BY slot, direction, status, error_code`, args...)
}

// FailureCount is the number of a number's messages that failed for a reason.
type FailureCount struct {
	Code          string
	PhoneNumberID string
	Count         int64
}

// FailureCounts returns an organization's failed messages by reason and number, most first. accountIDs are as
// in MessageCounts.
func (r Reader) FailureCounts(orgID string, accountIDs []string, from, until time.Time) ([]FailureCount, error) {
	which, args := r.ofAccounts(accountIDs, orgID, from.UnixMilli(), until.UnixMilli())
	return many(r, func(row scanner) (c FailureCount, err error) {
		err = row.Scan(&c.Code, &c.PhoneNumberID, &c.Count)
		return c, err
	}, `SELECT n.error_code, COALESCE(a.phone_number_id, ''), n.failed FROM (
			SELECT error_code, account_id, SUM(count) AS failed FROM message_counts
			WHERE org_id = $1 AND slot >= $2 AND slot < $3 AND status = 'failed' AND direction = 'outbound'`+which+`
			GROUP BY error_code, account_id) n
		LEFT JOIN accounts a ON a.org_id = $1 AND a.id = n.account_id AND a.deleted_at IS NULL
		ORDER BY n.failed DESC, n.account_id`, args...)
}

// ofAccounts adds a condition on the number to a statement with those arguments.
func (r Reader) ofAccounts(ids []string, args ...any) (string, []any) {
	if ids == nil {
		return "", args
	}
	return " AND " + r.dialect.oneOf("account_id", fmt.Sprintf("$%d", len(args)+1)), append(args, r.dialect.list(ids))
}

// Outcome is a recorded duration.
type Outcome struct {
	OrgID     string
	ID        string
	AccountID string
	What      chat.OutcomeKind
	UserID    *string
	At        time.Time
	Took      time.Duration
}

// InsertOutcome stores a duration.
func (tx *Tx) InsertOutcome(o Outcome) error {
	return tx.later("INSERT INTO outcomes (org_id, what, at, id, account_id, user_id, took) VALUES ($1, $2, $3, $4, $5, $6, $7)",
		o.OrgID, string(o.What), o.At.UnixMilli(), o.ID, o.AccountID, o.UserID, o.Took.Milliseconds())
}

// Durations returns the durations of a kind in milliseconds, shortest first.
func (r Reader) Durations(orgID string, accountIDs []string, what chat.OutcomeKind, from, until time.Time) ([]int64, error) {
	which, args := r.ofAccounts(accountIDs, orgID, string(what), from.UnixMilli(), until.UnixMilli())
	return many(r, scanInt64, "SELECT took FROM outcomes WHERE org_id = $1 AND what = $2 AND at >= $3 AND at < $4"+which+" ORDER BY took", args...)
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
