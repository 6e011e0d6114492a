package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
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

// Piece is about half a minute of messages, whose ids have the first letters in common. A busy slot is counted again
// piece by piece.
type Piece int64

const (
	pieceBits    = 15 // of the milliseconds in an id, in which a letter stands for 5
	pieceLetters = len(chat.KindMessage) + len("_") + (50-pieceBits)/5
)

func pieceOf(id string) Piece { return Piece(chat.TimeOf(id).UnixMilli() >> pieceBits) }

func (p Piece) begin() time.Time { return time.UnixMilli(int64(p) << pieceBits) }

// Pieces is the counts of a slot by its pieces.
type Pieces map[Piece][]MessageCount

// Sum is the counts of all pieces together.
func (p Pieces) Sum() (all []MessageCount) {
	sums := map[MessageCount]int64{}
	for _, counts := range p {
		for _, c := range counts {
			n := c.Count
			c.Count = 0
			sums[c] += n
		}
	}
	for c, n := range sums {
		c.Count = n
		all = append(all, c)
	}
	return all
}

// Mark is what is to be counted again: a piece of a slot of messages, or a slot of deliveries.
type Mark struct {
	Slot  Slot
	Piece Piece // of messages
}

// mark marks something to be counted again, once the transaction is durable.
func (tx *Tx) mark(m Mark) {
	if !slices.Contains(tx.work.marks, m) {
		tx.work.marks = append(tx.work.marks, m)
	}
}

func (tx *Tx) noteMessage(orgID, id string) {
	if tx.hands.Count != nil {
		tx.mark(Mark{SlotOf(orgID, chat.TimeOf(id)), pieceOf(id)})
	}
}

// CountMessages counts a slot's current messages.
func (r Reader) CountMessages(s Slot) (Pieces, error) { return r.countMessages(s, s.Begin(), s.End()) }

// CountPiece counts the current messages of a slot's piece, which other slots may share.
func (r Reader) CountPiece(s Slot, p Piece) ([]MessageCount, error) {
	begin, end := p.begin(), (p + 1).begin()
	if begin.Before(s.Begin()) {
		begin = s.Begin()
	}
	if end.After(s.End()) {
		end = s.End()
	}
	pieces, err := r.countMessages(s, begin, end)
	return pieces[p], err
}

func (r Reader) countMessages(s Slot, from, until time.Time) (Pieces, error) {
	pieces := Pieces{}
	err := each(r, func(row scanner) error {
		var (
			letters string
			c       MessageCount
		)
		err := row.Scan(&letters, &c.AccountID, &c.Direction, &c.Status, &c.ErrorCode, &c.Count)
		p := pieceOf(letters + strings.Repeat("0", pieceBits/5))
		pieces[p] = append(pieces[p], c)
		return err
	}, fmt.Sprintf(`SELECT SUBSTR(id, 1, %d), account_id, direction, status, COALESCE(error_code, ''), COUNT(*)
		FROM messages WHERE org_id = $1 AND id >= $2 AND id < $3 GROUP BY 1, 2, 3, 4, 5`, pieceLetters),
		s.OrgID, firstID(chat.KindMessage, from), firstID(chat.KindMessage, until))
	return pieces, err
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
