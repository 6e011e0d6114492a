package webhook

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// After a 410 the delivery is dead at once, the subscription is disabled, and its waiting deliveries end with the
// reason.
func TestGone(t *testing.T) {
	onEachEngine(t, func(w *world) {
		s := w.sink(status(http.StatusInternalServerError))
		sub := w.subscribe(s.URL)
		later := w.deliver(sub, "a")[0]
		w.ends(later, chat.DeliveryFailed)
		s.answers(status(http.StatusGone))
		id := w.deliver(sub, "b")[0]
		if d := w.ends(id, chat.DeliveryDead); *d.ErrorCode != codeGone || *d.ResponseStatus != 410 {
			w.t.Errorf("the delivery is %+v", d)
		}
		if d := w.ends(later, chat.DeliveryDead); *d.EndedBy != chat.DeliverySubscriptionDisabled {
			w.t.Errorf("what waited is %+v", d)
		}
		got := w.subscription(sub.ID)
		if got.Status != chat.WebhookDisabled || *got.DisabledReason != "endpoint_gone" {
			w.t.Errorf("the subscription is %+v", got)
		}
		// Once enabled again, it gets new deliveries, and replayed ones too.
		s.answers(status(http.StatusOK))
		w.patch(sub.ID, chat.WebhookSubscriptionPatch{Status: new(chat.WebhookActive)})
		w.ends(w.deliver(sub, "c")[0], chat.DeliverySucceeded)
		w.replay(sub, id)
	})
}

// A 410 of the address that a subscription had before ends neither the delivery nor the subscription.
func TestGoneFromTheOldAddress(t *testing.T) {
	onEachEngine(t, func(w *world) {
		g, s := newGate(w), w.sink()
		sub := w.subscribe(g.URL)
		id := w.deliver(sub, "a")[0]
		old := w.visit(g)[0]
		w.patch(sub.ID, chat.WebhookSubscriptionPatch{URL: &s.URL})
		w.tended()
		old.answer <- http.StatusGone
		w.settles(id, 1)
		w.notice(w.engine)
		w.ends(id, chat.DeliverySucceeded)
		if got := w.subscription(sub.ID); got.Status != chat.WebhookActive {
			w.t.Errorf("the subscription is %+v", got)
		}
	})
}

// replay makes a dead delivery due again, as a bulk replay does: without an owner at first.
func (w *world) replay(sub chat.WebhookSubscription, id string) {
	w.t.Helper()
	old := w.row(id)
	var again store.DeliveryJob
	w.InTx(func(tx *store.Tx) error {
		again = store.DeliveryJob{
			OrgID: sub.OrgID, ID: tx.NewID(chat.KindDelivery), SubscriptionID: sub.ID, EventRow: old.EventRow, EventID: old.EventID,
			EventType: old.EventType, DueAt: tx.Now(), ReplayedFrom: id, CreatedAt: tx.Now(),
		}
		tx.SubscriptionChanged(sub.OrgID, sub.ID)
		return tx.HoldDelivery(again)
	})
	d := w.ends(again.ID, chat.DeliverySucceeded)
	if string(d.Payload) != string(old.Payload) || *d.ReplayedFrom != id {
		w.t.Errorf("the replay is %+v", d)
	}
}

// Twenty-four failures disable a subscription if the first is more than 72 hours old.
func TestDisabledAfterAWeekend(t *testing.T) {
	onEachEngine(t, func(w *world) {
		s := w.sink(status(http.StatusInternalServerError))
		sub := w.subscribe(s.URL)
		var got chat.WebhookSubscription
		for i := 0; i < 40 && got.Status != chat.WebhookDisabled; i++ {
			id := w.deliver(sub, fmt.Sprint(i))[0]
			w.advance(3*time.Hour + time.Minute)
			w.await("an attempt", func() bool { return w.row(id).AttemptCount > 0 || w.row(id).Status == chat.DeliveryDead })
			w.idle(w.engine)
			got = w.subscription(sub.ID)
			long := got.ConsecutiveFailures >= 24 && w.Store.Now().Sub(*got.FailingSince) > 72*time.Hour
			if disabled := got.Status == chat.WebhookDisabled; disabled != long {
				w.t.Fatalf("after %v: %+v", w.Store.Now().Sub(*got.FailingSince), got)
			}
		}
		if got.Status != chat.WebhookDisabled || *got.DisabledReason != "consecutive_failures" {
			w.t.Fatalf("the subscription is %+v", got)
		}
		w.await("no open deliveries", func() bool {
			lanes, err := w.Read().DeliveryLanes("", 10)
			return err == nil && len(lanes) == 0
		})
		for _, warning := range []string{"keeps failing", "was disabled"} {
			if !strings.Contains(w.log.String(), warning) {
				w.t.Errorf("the log does not say that it %s", warning)
			}
		}
	})
}

func TestPauseAndResume(t *testing.T) {
	onEachEngine(t, func(w *world) {
		s := w.sink()
		sub := w.subscribe(s.URL)
		w.ends(w.deliver(sub, "a")[0], chat.DeliverySucceeded)
		w.next(s)
		w.patch(sub.ID, chat.WebhookSubscriptionPatch{Status: new(chat.WebhookPaused)})
		w.idle(w.engine)
		ids := w.deliver(sub, slices.Repeat([]string{"a"}, 100)...)
		w.advance(time.Hour)
		w.idle(w.engine)
		w.quiet(s)
		if d := w.row(ids[0]); d.Status != chat.DeliveryPending {
			w.t.Errorf("while paused: %+v", d)
		}
		other := w.sink()
		w.patch(sub.ID, chat.WebhookSubscriptionPatch{Status: new(chat.WebhookActive), URL: &other.URL})
		for _, id := range ids {
			if got := w.next(other).header.Get("X-Svc-Delivery-Id"); got != id {
				w.t.Fatalf("got %s, want %s", got, id)
			}
		}
		w.ends(ids[99], chat.DeliverySucceeded)
		w.quiet(s)
	})
}

// What waits in memory does not leave by what was true before a change, however long it takes to read the subscription again.
func TestNothingLeavesForTheOldAddress(t *testing.T) {
	onEachEngine(t, func(w *world) {
		g, s, e := newGate(w), w.sink(), w.engine
		sub := w.subscribe(g.URL)
		ids := w.deliver(sub, "a", "a")
		first := w.visit(g)[0]
		w.tended()
		read := make(chan struct{})
		e.mu.Lock()
		open := e.cfg.OpenSecret
		e.cfg.OpenSecret = func(s chat.WebhookSecret) (string, error) {
			<-read
			return open(s)
		}
		e.mu.Unlock()
		w.patch(sub.ID, chat.WebhookSubscriptionPatch{URL: &s.URL})
		first.answer <- http.StatusOK
		w.ends(ids[0], chat.DeliverySucceeded)
		close(read)
		if got := w.next(s).header.Get("X-Svc-Delivery-Id"); got != ids[1] {
			w.t.Errorf("got %s, want %s", got, ids[1])
		}
		w.ends(ids[1], chat.DeliverySucceeded)
	})
}

// Of more deliveries than fit into memory those about a subject leave in their order, although the subscription was paused
// after some of them had been read.
func TestPauseWithABacklog(t *testing.T) {
	onEachEngine(t, func(w *world) {
		g := newGate(w)
		sub := w.subscribe(g.URL)
		ids := w.deliver(sub, slices.Repeat([]string{"a"}, 3*leastReady)...)
		const before = leastReady // so that more were read from the table
		for range before {
			w.visit(g)[0].answer <- http.StatusOK
		}
		last := w.visit(g)[0]
		w.tended()
		w.patch(sub.ID, chat.WebhookSubscriptionPatch{Status: new(chat.WebhookPaused)})
		w.tended()
		last.answer <- http.StatusOK
		w.ends(last.id, chat.DeliverySucceeded)
		s := w.sink()
		w.patch(sub.ID, chat.WebhookSubscriptionPatch{Status: new(chat.WebhookActive), URL: &s.URL})
		for i, id := range ids[before+1:] {
			if got := w.next(s).header.Get("X-Svc-Delivery-Id"); got != id {
				w.t.Fatalf("number %d is %s, want %s", i, got, id)
			}
		}
		w.ends(ids[len(ids)-1], chat.DeliverySucceeded)
	})
}

// All that waits for a subscription ends when it is disabled, in as many turns as that takes.
func TestDisabledWithABacklog(t *testing.T) {
	onEachEngine(t, func(w *world) {
		sub := w.subscribe(w.sink().URL)
		w.patch(sub.ID, chat.WebhookSubscriptionPatch{Status: new(chat.WebhookPaused)})
		ids := w.deliver(sub, slices.Repeat([]string{"a"}, 3*leastReady)...)
		w.InTx(func(tx *store.Tx) error {
			s, err := tx.WebhookSubscription(sub.OrgID, sub.ID)
			s.Status, s.DisabledReason = chat.WebhookDisabled, new("endpoint_gone")
			return errors.Join(err, tx.UpdateWebhookSubscription(s))
		})
		for _, id := range ids {
			w.ends(id, chat.DeliveryDead)
		}
	})
}

// A secret is replaced while a delivery is retried: each attempt is signed with the secrets valid at that time.
func TestRotationDuringRetries(t *testing.T) {
	onEachEngine(t, func(w *world) {
		s := w.sink(status(http.StatusInternalServerError))
		sub := w.subscribe(s.URL)
		id := w.deliver(sub, "a")[0]
		expect := func(secrets ...string) {
			w.t.Helper()
			c := w.next(s)
			if want := chat.SignWebhook(secrets, w.Store.Now(), []byte(c.body)); c.header.Get("X-Svc-Signature") != want {
				w.t.Errorf("signed %s, want %v", c.header.Get("X-Svc-Signature"), secrets)
			}
		}
		expect("whsec_one")
		w.settles(id, 1)
		w.InTx(func(tx *store.Tx) error {
			old, err := tx.WebhookSecrets(sub.OrgID, sub.ID)
			if err != nil {
				return err
			}
			one := old[sub.ID][0]
			one.ExpiresAt = new(tx.Now().Add(30 * time.Second))
			if err := tx.SetSecretExpiry(one); err != nil {
				return err
			}
			tx.SubscriptionChanged(sub.OrgID, sub.ID)
			return tx.InsertWebhookSecret(chat.WebhookSecret{
				ID: tx.NewID(chat.KindSecret), OrgID: sub.OrgID, SubscriptionID: sub.ID, Sealed: "whsec_two", CreatedAt: tx.Now(),
			})
		})
		w.idle(w.engine)
		w.advance(10 * time.Second)
		expect("whsec_one", "whsec_two")
		w.settles(id, 2)
		w.idle(w.engine)
		w.advance(30 * time.Second) // the old secret has expired meanwhile, without an announcement
		expect("whsec_two")
	})
}
