package broadcast_test

import (
	"context"
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// failFirst fails the first of a broadcast's messages, for good.
func (r *rig) failFirst(n int) {
	asked := 0
	r.answer = func(string) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		if asked++; asked <= n {
			return &provider.Error{HTTPStatus: 400, Code: 131026, Message: "no"}
		}
		return nil
	}
}

// A retry right after a stop is refused as long as people wait to be skipped: they must not get the message after all.
func TestRetryDuringStop(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.failFirst(3)
		b := r.create(0, 150)
		r.do(b, core.StartBroadcast)
		r.untilCalled(20)
		r.do(b, core.StopBroadcast)
		r.do(b, retry)
		r.requireState(b, chat.BroadcastStopped, chat.ReasonByUser)
		r.untilOver(b)
		r.do(b, retry)
		r.untilOver(b)
		r.requireState(b, chat.BroadcastCompleted, "")
		n := r.counts(b)
		if n.Skipped == 0 || n.Failed != 0 || r.called() != int(n.Sent)+3 {
			t.Errorf("after the retry there were %d calls, and the counts are %+v", r.called(), n)
		}
		r.requireLedger(b)
	})
}

// A retry that is refused changes nothing. One that is cut off leaves a paused broadcast, not a completed one in which
// people wait.
func TestRetryRefusedOrCutOff(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.failFirst(3)
		b := r.create(0, 20)
		r.do(b, core.StartBroadcast)
		r.untilOver(b)
		before := r.counts(b)
		r.InTx(func(tx *store.Tx) error {
			found, err := tx.TemplatesNamed(r.Org.ID, r.Account.WABAID, "hello")
			if err == nil {
				_, err = tx.DeleteTemplates(r.Org.ID, []string{found[0].ID}, tx.Now())
			}
			return err
		})
		err := r.Store.InTx(context.Background(), func(tx *store.Tx) error {
			_, err := core.RetrySome(tx, r.Account, b.ID, 2)
			return err
		})
		if code, _ := chat.CodeOf(err); code != chat.CodeInvalidTemplateName {
			t.Fatalf("without its template the retry ends with %v", err)
		}
		r.requireState(b, chat.BroadcastCompleted, "")
		if n := r.counts(b); n != before || n.Failed != 3 {
			t.Errorf("a refused retry makes %+v of %+v", n, before)
		}
		r.template(chat.CategoryMarketing, "APPROVED", "Hi {{1}}, welcome here.")
		r.InTx(func(tx *store.Tx) error {
			_, err := core.RetrySome(tx, r.Account, b.ID, 2)
			return err
		})
		r.requireState(b, chat.BroadcastPaused, chat.ReasonByUser)
		r.requireLedger(b)
		r.do(b, retry)
		r.untilOver(b)
		if n := r.counts(b); n.Sent != 20 {
			t.Errorf("retried, the counts are %+v", n)
		}
		r.requireLedger(b)
	})
}

// A broadcast in which nobody's message failed stays as it is.
func TestRetryOfNobody(t *testing.T) {
	inBubble(t, func(r *rig) {
		b := r.create(0, 60)
		r.do(b, core.StartBroadcast)
		r.untilCalled(5)
		r.do(b, core.StopBroadcast)
		r.untilOver(b)
		r.do(b, retry)
		pass(2 * time.Second)
		r.requireState(b, chat.BroadcastStopped, chat.ReasonByUser)
		r.requireLedger(b)
	})
}

// While a list is emptied, the counts follow, and the broadcast does not start by itself for those who are left.
func TestEmptyingIsCutOff(t *testing.T) {
	inBubble(t, func(r *rig) {
		soon := time.Now().Add(time.Minute)
		b := r.create(0, 30, func(in *core.NewBroadcast) { in.ScheduledAt = &soon })
		some := func() (n int64) {
			r.InTx(func(tx *store.Tx) (err error) {
				n, err = core.DeleteSomeRecipients(tx, r.Account, b.ID, 10)
				return err
			})
			return n
		}
		some()
		if n := r.counts(b); n.Total != 20 || n.Waiting != 20 {
			t.Errorf("after ten of thirty are deleted, the counts are %+v", n)
		}
		r.requireLedger(b)
		r.do(b, core.ClearRecipients)
		r.requireState(b, chat.BroadcastScheduled, "")
		some()
		pass(2 * time.Minute)
		r.requireState(b, chat.BroadcastDraft, "")
		r.do(b, core.StartBroadcast)
		r.untilOver(b)
		if n := r.counts(b); n.Total != 10 || n.Sent != 10 {
			t.Errorf("it goes to %+v", n)
		}
		r.requireLedger(b)
	})
}

// A restored broadcast whose list is emptied does not start by itself: nobody has decided that.
func TestEmptyingLeavesARestoredOneHeld(t *testing.T) {
	inBubble(t, func(r *rig) {
		soon := time.Now().Add(time.Minute)
		b := r.create(0, 3, func(in *core.NewBroadcast) { in.ScheduledAt, in.Audience.Filter = &soon, &chat.ContactFilter{} })
		r.InTx(func(tx *store.Tx) error {
			_, err := core.HoldSends(tx)
			return err
		})
		r.InTx(func(tx *store.Tx) error {
			_, err := core.DeleteSomeRecipients(tx, r.Account, b.ID, 10)
			return err
		})
		r.do(b, core.ClearRecipients)
		r.requireState(b, chat.BroadcastDraft, chat.ReasonRestored)
	})
}

// Those who were skipped because the customer was suspended can get their message once the customer is active again.
func TestRetryAfterSuspension(t *testing.T) {
	inBubble(t, func(r *rig) {
		var customer chat.Customer
		r.InTx(func(tx *store.Tx) error {
			customer = chat.Customer{ID: tx.NewID(chat.KindCustomer), OrgID: r.Org.ID, Name: "c", Status: chat.CustomerActive, CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
			account := r.Account
			account.CustomerID = &customer.ID
			return errors.Join(tx.InsertCustomer(customer), tx.UpdateAccount(account))
		})
		become := func(status chat.CustomerStatus) {
			customer.Status = status
			r.InTx(func(tx *store.Tx) error { return tx.UpdateCustomer(customer) })
		}
		const people = 200
		b := r.create(0, people, func(in *core.NewBroadcast) { in.Recipients = append(in.Recipients, core.NewRecipient{To: "nobody"}) })
		r.do(b, core.StartBroadcast)
		r.untilCalled(20)
		become(chat.CustomerSuspended)
		r.untilOver(b)
		if n := r.counts(b); n.Skipped < 2 || n.Sent+n.Skipped+n.Failed != people+1 {
			t.Errorf("a suspension leaves %+v", n)
		}
		become(chat.CustomerActive)
		r.do(b, retry)
		r.untilOver(b)
		r.requireLedger(b)
		if n := r.counts(b); n.Sent != people || n.Skipped != 1 || r.called() != people {
			t.Errorf("it ends with %+v and %d calls", n, r.called())
		}
	})
}

// Somebody who has the message under one address does not get it again from a retry of the other, at which it failed
// before the two contacts became one, whichever of the addresses it is.
func TestRetryAfterAMerge(t *testing.T) {
	inBubble(t, func(r *rig) {
		byNumber := []chat.Contact{storetest.Contact(r.t, r.Store, r.Account, number(1)), storetest.Contact(r.t, r.Store, r.Account, number(2))}
		var byID []chat.Contact
		for _, bsuid := range []string{"DE.one", "DE.two"} {
			r.InTx(func(tx *store.Tx) error {
				c := storetest.NewContact(tx, r.Account, "")
				c.PhoneNumber, c.BSUID = nil, &bsuid
				byID = append(byID, c)
				return tx.InsertContact(c)
			})
		}
		refused := map[string]bool{number(1): true, "DE.two": true, number(3): true}
		r.answer = func(to string) error {
			r.mu.Lock()
			defer r.mu.Unlock()
			if refused[to] {
				return &provider.Error{HTTPStatus: 400, Code: 131026, Message: "no"}
			}
			return nil
		}
		b := r.create(0, 0, func(in *core.NewBroadcast) {
			in.Recipients = []core.NewRecipient{{To: number(1)}, {Recipient: "DE.one"}, {To: number(2)}, {Recipient: "DE.two"}, {To: number(3)}}
		})
		r.do(b, core.StartBroadcast)
		r.untilOver(b)
		for i := range byID {
			r.InTx(func(tx *store.Tx) error {
				_, err := core.MergeContacts(tx, r.Account, byNumber[i].ID, byID[i].ID, "")
				return err
			})
		}
		r.mu.Lock()
		clear(refused)
		r.mu.Unlock()
		r.do(b, retry)
		r.untilOver(b)
		r.requireLedger(b)
		want := map[string]int{number(1): 1, "DE.one": 1, number(2): 1, "DE.two": 1, number(3): 2}
		if n := r.counts(b); n.Sent != 3 || n.Skipped != 2 || n.Failed != 0 || !maps.Equal(r.calls, want) {
			t.Errorf("the counts are %+v, the messages %v", n, r.calls)
		}
	})
}
