package webhook

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// A node is frozen past its lease. Another node takes its work over, and the frozen node's results no longer count. It
// does not begin the attempts it had not begun, whether it wakes up without a lease or with one that it got under
// another name.
func TestFrozenNode(t *testing.T) {
	t.Parallel()
	t.Run("without a lease", func(t *testing.T) {
		testFrozenNode(t, func(w *world) store.Lease { return store.Lease{Node: "node_1", Until: w.Store.Moment()} })
	})
	t.Run("renamed", func(t *testing.T) {
		testFrozenNode(t, func(*world) store.Lease { return store.LeaseForGood("node_3") })
	})
}

func testFrozenNode(t *testing.T, wakesUp func(*world) store.Lease) {
	onEachEngine(t, func(w *world) {
		release := make(chan struct{})
		frozen := w.sink(func(rw http.ResponseWriter, r *http.Request) {
			<-release
			rw.WriteHeader(http.StatusInternalServerError)
		})
		sub := w.subscribe(frozen.URL)
		ids := w.deliver(sub, "a", "a")
		w.next(frozen) // the first is under way when the node freezes
		w.Dead("node_1")
		w.leases.Store("node_1", wakesUp(w))
		sane := w.sink()
		w.patch(sub.ID, chat.WebhookSubscriptionPatch{URL: &sane.URL})
		first := w.engine
		w.engine = w.start("node_2")
		w.notice(w.engine)
		for _, id := range ids {
			if got := w.next(sane).header.Get("X-Svc-Delivery-Id"); got != id {
				w.t.Errorf("the other node delivers %s, want %s", got, id)
			}
			w.ends(id, chat.DeliverySucceeded)
		}
		close(release) // the frozen node wakes up
		w.idle(first)
		for _, id := range ids {
			if d := w.row(id); d.Status != chat.DeliverySucceeded || d.AttemptCount != 1 || *d.ResponseStatus != 200 {
				w.t.Errorf("the frozen node changed %+v", d)
			}
		}
		w.quiet(frozen)
		w.quiet(sane)
		// Alive again under another name, it works on the deliveries created there.
		w.Alive("node_3")
		w.leases.Store("node_1", store.LeaseForGood("node_3"))
		w.notice(first)
		first.Changed(sub.OrgID, sub.ID)
		w.ends(w.deliver(sub, "b")[0], chat.DeliverySucceeded)
	})
}

// A success ends the streak of failures that another node has counted.
func TestSuccessEndsAStreakOfAnotherNode(t *testing.T) {
	onEachEngine(t, func(w *world) {
		s := w.sink()
		sub := w.subscribe(s.URL)
		other := w.start("node_2")
		w.ends(w.deliver(sub, "a")[0], chat.DeliverySucceeded)
		w.Clock.Advance(time.Hour) // so that it does not read the subscription again as a new one
		w.notice(other)
		w.idle(other)
		w.deliverTo(w.engine)
		s.answers(status(http.StatusInternalServerError))
		w.settles(w.deliver(sub, "a")[0], 1)
		s.answers(status(http.StatusOK))
		w.notice(other)
		w.deliverTo(other)
		w.ends(w.deliver(sub, "a")[0], chat.DeliverySucceeded)
		if got := w.subscription(sub.ID); got.ConsecutiveFailures != 0 || got.FailingSince != nil {
			w.t.Errorf("the subscription is %+v", got)
		}
	})
}

// Changes by another process count here too, and deliveries that it only writes are made here.
func TestOtherProcesses(t *testing.T) {
	onEachEngine(t, func(w *world) {
		s := w.sink()
		sub := w.subscribe(s.URL)
		w.ends(w.deliver(sub, "a")[0], chat.DeliverySucceeded)
		w.next(s)
		w.fromElsewhere()
		other := w.sink()
		w.patch(sub.ID, chat.WebhookSubscriptionPatch{URL: &other.URL})
		w.notice(w.engine)
		w.idle(w.engine)
		id := w.deliver(sub, "a")[0]
		w.notice(w.engine)
		w.next(other)
		w.ends(id, chat.DeliverySucceeded)
		w.quiet(s)
	})
}

// A change counts here although its transaction took long, or the clock of its node is slow.
func TestLateChangeOfAnotherProcess(t *testing.T) {
	onEachEngine(t, func(w *world) {
		s, other := w.sink(), w.sink()
		sub := w.subscribe(s.URL)
		w.ends(w.deliver(sub, "a")[0], chat.DeliverySucceeded)
		w.advance(time.Hour)
		w.deafen()
		w.InTx(func(tx *store.Tx) error {
			sub.URL, sub.UpdatedAt = other.URL, tx.Now().Add(-30*time.Second)
			return tx.UpdateWebhookSubscription(sub)
		})
		w.notice(w.engine)
		w.idle(w.engine)
		w.ends(w.deliver(sub, "a")[0], chat.DeliverySucceeded)
		w.next(other)
	})
}

// A sweep finishes what somebody has left of an event's deliveries.
func TestSweepFinishesFanOuts(t *testing.T) {
	onEachEngine(t, func(w *world) {
		s := w.sink()
		sub := w.subscribe(s.URL)
		w.InTx(func(tx *store.Tx) error {
			e := event(tx, w.Org.ID, "a")
			left := store.FanOut{OrgID: w.Org.ID, Subject: "a", Seq: 1, Event: e.ID, Last: sub.ID}
			return errors.Join(tx.InsertEvent(e), tx.Postpone(left, func(context.Context, *store.Store, []store.FanOut) {}))
		})
		w.notice(w.engine)
		w.ends(w.next(s).header.Get("X-Svc-Delivery-Id"), chat.DeliverySucceeded)
	})
}

// Without room for payloads, deliveries stay in the table until there is room.
func TestMemoryIsBounded(t *testing.T) {
	onEachEngine(t, func(w *world) {
		s := w.sink()
		sub := w.subscribe(s.URL)
		w.ends(w.deliver(sub, "a")[0], chat.DeliverySucceeded)
		w.next(s)
		w.idle(w.engine)
		fill := func(bytes int) {
			w.engine.mu.Lock()
			defer w.engine.mu.Unlock()
			w.engine.bytes += bytes
		}
		fill(maxBytes)
		id := w.deliver(sub, "a")[0]
		w.advance(2 * time.Second)
		w.idle(w.engine)
		w.quiet(s)
		fill(-maxBytes)
		w.advance(time.Second)
		w.next(s)
		w.ends(id, chat.DeliverySucceeded)
	})
}
