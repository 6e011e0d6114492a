package core

import (
	"context"
	"errors"
	"fmt"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// Held counts what a restore keeps from being sent. Broadcasts are paused, or become drafts again if they had not
// begun.
type Held struct {
	Messages   int64
	Broadcasts int64
}

// HoldSends stops a restored store from sending messages that may have been sent after its copy was made.
func HoldSends(tx *store.Tx) (h Held, err error) {
	if h.Messages, err = tx.HoldSends(); err == nil {
		h.Broadcasts, err = tx.HoldBroadcasts()
	}
	return h, err
}

// heldSlice is how many held messages one transaction handles.
const heldSlice = 200

// SendHeld queues held messages for sending, those with the ids or all if there are none, and returns how many.
func SendHeld(ctx context.Context, st *store.Store, ids ...string) (int, error) {
	return eachHeld(ctx, st, ids, func(tx *store.Tx, h store.HeldSend) error {
		m, err := tx.Message(h.OrgID, h.AccountID, h.MessageID)
		if err != nil || m.Status != chat.StatusQueued && m.Status != chat.StatusPending {
			return ignoreNotFound(err)
		}
		_, err = tx.InsertSendJob(store.SendJob{
			OrgID: m.OrgID, MessageID: m.ID, AccountID: m.AccountID, ConversationID: m.ConversationID, DueAt: tx.Now(), Category: h.Category,
		})
		return err
	})
}

// DiscardHeld fails held messages, those with the ids or all if there are none, and returns how many.
func DiscardHeld(ctx context.Context, st *store.Store, ids ...string) (int, error) {
	failure := chat.MessageError{Code: chat.FailUndeliverable, Message: "The message waited when the store was backed up. It was given up after the restore, because it may have gone out."}
	return eachHeld(ctx, st, ids, func(tx *store.Tx, h store.HeldSend) error {
		account, err := tx.Account(h.OrgID, h.AccountID)
		if err != nil {
			return ignoreNotFound(err)
		}
		var l ledger
		if err := failMessage(tx, account, h.MessageID, failure, nil, &l); err != nil {
			return err
		}
		_, err = l.write(tx)
		return err
	})
}

// eachHeld calls do for each held message, in slices, and then releases the message. If ids are given, it takes those
// in one transaction, and none if one of them is not held.
func eachHeld(ctx context.Context, st *store.Store, ids []string, do func(*store.Tx, store.HeldSend) error) (done int, err error) {
	next := func(tx *store.Tx) ([]store.HeldSend, error) { return tx.HeldSends(heldSlice) }
	if len(ids) > 0 {
		next = func(tx *store.Tx) ([]store.HeldSend, error) { return heldWith(tx, ids) }
	}
	for {
		n := 0
		err := st.InTx(ctx, func(tx *store.Tx) error {
			held, err := next(tx)
			for _, h := range held {
				if err == nil {
					err = do(tx, h)
				}
				if err == nil {
					err = tx.ForgetHeldSend(h)
				}
			}
			n = len(held)
			return err
		})
		if err != nil {
			return done, err
		}
		done += n
		if n < heldSlice || len(ids) > 0 {
			return done, nil
		}
	}
}

func heldWith(tx *store.Tx, ids []string) (held []store.HeldSend, err error) {
	for _, id := range ids {
		h, err := tx.HeldSend(id)
		if errors.Is(err, store.ErrNotFound) {
			return nil, fmt.Errorf("%s is not held; \"parley held\" lists the messages that are", id)
		}
		if err != nil {
			return nil, err
		}
		held = append(held, h)
	}
	return held, nil
}
