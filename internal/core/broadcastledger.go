package core

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// ledger collects status changes of broadcast messages during a transaction, and writes them to their recipients in
// one go. Messages of other sources cost nothing.
type ledger struct {
	by    string // who moves the recipients, one of the by constants
	moves map[string]*ledgerMove
}

// ledgerMove is the status change of a message.
type ledgerMove struct {
	from, to chat.RecipientStatus
	reason   string
}

// note records that a message has another status than before.
func (l *ledger) note(m chat.Message, before chat.MessageStatus) {
	if m.Source != chat.SourceBroadcast || m.Status == before {
		return
	}
	move := l.moves[m.ID]
	if move == nil {
		if l.moves == nil {
			l.moves = map[string]*ledgerMove{}
		}
		move = &ledgerMove{from: chat.RecipientOf(before)}
		l.moves[m.ID] = move
	}
	move.to, move.reason = chat.RecipientOf(m.Status), ""
	if m.Error != nil {
		move.reason = string(m.Error.Code)
	}
}

// write moves the recipients of the messages, and returns the recipients' ids by message.
func (l *ledger) write(tx *store.Tx) (recipients map[string]string, err error) {
	if len(l.moves) == 0 {
		return nil, nil
	}
	type destination struct {
		to     chat.RecipientStatus
		reason string
	}
	groups := map[destination][]string{}
	for _, id := range slices.Sorted(maps.Keys(l.moves)) {
		m := l.moves[id]
		d := destination{m.to, m.reason}
		groups[d] = append(groups[d], id)
	}
	recipients = map[string]string{}
	var tally tally
	for d, ids := range groups {
		moved, err := tx.MoveRecipients(ids, d.to, d.reason)
		if err != nil {
			return nil, err
		}
		for _, r := range moved {
			recipients[r.MessageID] = r.ID
			tally.move(r.BroadcastID, l.moves[r.MessageID].from, d.to)
		}
	}
	l.moves = nil
	return recipients, tally.write(tx, l.by)
}

// tally sums up how many recipients move from which status to which.
type tally struct{ sums map[store.TallyDelta]int64 }

func (t *tally) add(broadcastID, status string, n int64) {
	if t.sums == nil {
		t.sums = map[store.TallyDelta]int64{}
	}
	t.sums[store.TallyDelta{BroadcastID: broadcastID, Status: status}] += n
}

func (t *tally) move(broadcastID string, from, to chat.RecipientStatus) {
	t.add(broadcastID, string(from), -1)
	t.add(broadcastID, string(to), 1)
}

// write adds the sums, always in the same order, so that concurrent writers wait but never deadlock.
func (t *tally) write(tx *store.Tx, by string) error {
	deltas := make([]store.TallyDelta, 0, len(t.sums))
	for d, n := range t.sums {
		d.N = n
		deltas = append(deltas, d)
	}
	slices.SortFunc(deltas, func(a, b store.TallyDelta) int {
		return cmp.Or(cmp.Compare(a.BroadcastID, b.BroadcastID), cmp.Compare(a.Status, b.Status))
	})
	return tx.AddTally(by, deltas)
}

// sentEventID is the id of the event for a sent message. recipientID is its recipient in a broadcast, if a broadcast
// made it.
func sentEventID(m chat.Message, recipientID string) string {
	if recipientID != "" {
		return "broadcast_msg:" + recipientID + ":sent"
	}
	return m.ID + ":sent"
}

// Withdraw takes back a message of a broadcast that no longer sends, before the first attempt to send it. Its
// recipient waits again. Withdraw reports whether it took the message back.
func Withdraw(tx *store.Tx, w store.SendWork) (bool, error) {
	recipient, err := tx.RecipientOfMessage(w.Message.OrgID, w.Message.ID)
	if err != nil {
		return false, ignoreNotFound(err)
	}
	mine, err := tx.FinishSendJob(w.Job.OrgID, w.Job.MessageID, w.Job.Owner)
	if err != nil || !mine {
		return false, err
	}
	if err := tx.ForgetMessage(w.Message.OrgID, w.Message.ID); err != nil {
		return false, err
	}
	if err := errors.Join(tx.UnqueueRecipient(recipient), returnQuota(tx, w.Message)); err != nil {
		return false, err
	}
	var t tally
	t.move(recipient.BroadcastID, recipient.Status, chat.RecipientWaiting)
	return true, t.write(tx, bySender)
}
