package housekeeping_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// A copy of a broadcast whose node died is removed with its recipients. Until then nobody can change or start it.
func TestUnfinishedCopiesGo(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		storetest.Alive(t, h.Store, "node_1")
		h.Store.HandTo(func(hands *store.Hands) { hands.Node = func() string { return "node_1" } })
		original := h.castTo(700)
		whole, left, late := h.copyOf(original, 1000), h.copyOf(original, 600), h.copyOf(original, 1)
		h.InTx(func(tx *store.Tx) error {
			_, err := core.FinishCopy(tx, h.Account, original.ID, whole.ID)
			return err
		})
		for what, move := range map[string]func(tx *store.Tx) (chat.Broadcast, error){
			"start": func(tx *store.Tx) (chat.Broadcast, error) { return core.StartBroadcast(tx, h.Account, left.ID) },
			"change": func(tx *store.Tx) (chat.Broadcast, error) {
				return core.UpdateBroadcast(tx, h.Account, left.ID, core.BroadcastPatch{})
			},
			"copy": func(tx *store.Tx) (chat.Broadcast, error) { return core.CopyBroadcast(tx, h.Account, left.ID) },
		} {
			err := h.Store.InTx(context.Background(), func(tx *store.Tx) error {
				_, err := move(tx)
				return err
			})
			if code, _ := chat.CodeOf(err); code != chat.CodeBroadcastState {
				t.Errorf("%s of an unfinished copy: %v", what, err)
			}
		}
		h.sweep()
		h.requireBroadcasts(original, whole, left, late)
		h.Dead("node_1")
		h.Store.HandTo(func(hands *store.Hands) { hands.Node = func() string { return "node_2" } })
		storetest.Alive(t, h.Store, "node_2")
		forever := h.copyOf(original, 1)
		h.sweep()
		h.sweep()
		h.requireBroadcasts(original, whole, forever)
		h.Clock.Advance(2 * time.Hour)
		h.sweep()
		h.requireBroadcasts(original, whole)
		for _, b := range []chat.Broadcast{left, late, forever} {
			if rows, err := h.Read().Recipients(b.OrgID, b.ID, store.RecipientFilter{}, store.Page{Limit: 10}); err != nil || len(rows.Rows) > 0 {
				t.Errorf("recipients are left: %v, %v", rows.Rows, err)
			}
		}
		if n, err := core.Counts(h.Read(), whole.ID); err != nil || n.Waiting != 700 {
			t.Errorf("the finished copy has %+v: %v", n, err)
		}
	})
}

func (h *house) castTo(people int) (b chat.Broadcast) {
	in := core.NewBroadcast{Name: "x", Template: chat.BroadcastTemplate{Name: "hello", Language: "en", Components: json.RawMessage("[]")}}
	for i := range people {
		in.Recipients = append(in.Recipients, core.NewRecipient{To: fmt.Sprintf("+49155100%05d", i)})
	}
	h.InTx(func(tx *store.Tx) (err error) {
		b, err = core.CreateBroadcast(tx, h.Account, in)
		return err
	})
	return b
}

// copyOf begins a copy with up to so many recipients.
func (h *house) copyOf(b chat.Broadcast, people int) (draft chat.Broadcast) {
	h.InTx(func(tx *store.Tx) (err error) {
		if draft, err = core.CopyBroadcast(tx, h.Account, b.ID); err == nil {
			_, err = core.CopyRecipients(tx, h.Account, b.ID, draft.ID, "", people)
		}
		return err
	})
	return draft
}

func (h *house) requireBroadcasts(want ...chat.Broadcast) {
	found, err := h.Read().Broadcasts(h.Org.ID, h.Account.ID, store.BroadcastFilter{}, store.Page{Limit: 100})
	h.Must(err)
	if len(found.Rows) != len(want) {
		h.Must(errors.New(fmt.Sprint("there are broadcasts: ", len(found.Rows), ", and not ", len(want))))
	}
	for _, b := range want {
		_, err := h.Read().Broadcast(b.OrgID, b.AccountID, b.ID)
		h.Must(err)
	}
}
