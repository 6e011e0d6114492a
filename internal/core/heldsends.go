package core

import (
	"context"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// Held is what a restore keeps from going out. Broadcasts are paused, or drafts again where they had not begun.
type Held struct {
	Messages   int64
	Broadcasts int64
}

// HoldSends keeps a restored store from sending what may have gone out after its copy was made.
func HoldSends(tx *store.Tx) (h Held, err error) {
	if h.Messages, err = tx.HoldSends(); err == nil {
		h.Broadcasts, err = tx.HoldBroadcasts()
	}
	return h, err
}

// heldSlice is how many messages one transaction lets go.
const heldSlice = 200

// SendHeld puts every message that is held on its way, and returns how many.
func SendHeld(ctx context.Context, st *store.Store) (int, error) {
	return eachHeld(ctx, st, func(tx *store.Tx, h store.HeldSend) error {
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

// DiscardHeld gives up every message that is held, and returns how many.
func DiscardHeld(ctx context.Context, st *store.Store) (int, error) {
	failure := chat.MessageError{Code: chat.FailUndeliverable, Message: "The message waited when the store was backed up. It was given up after the restore, because it may have gone out."}
	return eachHeld(ctx, st, func(tx *store.Tx, h store.HeldSend) error {
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

// eachHeld does something with each message that is held, in slices, after which it is not.
func eachHeld(ctx context.Context, st *store.Store, do func(*store.Tx, store.HeldSend) error) (done int, err error) {
	for {
		n := 0
		err := st.InTx(ctx, func(tx *store.Tx) error {
			held, err := tx.HeldSends("", heldSlice)
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
		done += n
		if err != nil || n < heldSlice {
			return done, err
		}
	}
}
