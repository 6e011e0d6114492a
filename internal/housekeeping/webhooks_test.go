package housekeeping_test

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

const webhookLife = 30 * 24 * time.Hour

// deliver records an event with a delivery of it, unless the subscription is empty.
func deliver(tx *store.Tx, orgID, subscriptionID string) error {
	e := chat.Event{
		ID: tx.NewID(chat.KindEvent), OrgID: orgID, Type: chat.EventContactCreated, Source: chat.SourceService, Payload: []byte("{}"), CreatedAt: tx.Now(),
	}
	e.EventID = e.ID
	if err := tx.InsertEvent(e); err != nil || subscriptionID == "" {
		return err
	}
	return tx.HoldDelivery(jobOf(tx, subscriptionID, e))
}

func jobOf(tx *store.Tx, subscriptionID string, e chat.Event) store.DeliveryJob {
	return store.DeliveryJob{
		OrgID: e.OrgID, ID: tx.NewID(chat.KindDelivery), SubscriptionID: subscriptionID, EventRow: e.ID, EventID: e.EventID, EventType: e.Type,
		DueAt: tx.Now(), CreatedAt: tx.Now(),
	}
}

func counts(t *testing.T, st *store.Store, orgID string) string {
	t.Helper()
	r := st.Read(t.Context())
	deliveries, err := r.WebhookDeliveries(orgID, store.DeliveryFilter{}, store.Page{Limit: 10 * batch})
	if err != nil {
		t.Fatal(err)
	}
	events, err := r.EventsAfter(orgID, "", 10*batch)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(len(deliveries.Rows), " deliveries, ", len(events), " events")
}

// Deliveries and events live 30 days; an event lives as long as a delivery needs it.
func TestSweepRemovesOldDeliveriesAndEvents(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		clock := storetest.NewClock()
		st := storetest.Open(t, engine, storetest.WithClock(clock))
		org, bystander := storetest.Org(t, st).ID, storetest.Org(t, st).ID
		h := start(t, st, slog.New(slog.DiscardHandler))
		begin := clock.Now()
		storetest.InTx(t, st, func(tx *store.Tx) error {
			for range batch + 1 { // more than one batch
				if err := deliver(tx, org, "wbs_x"); err != nil {
					return err
				}
			}
			return deliver(tx, org, "")
		})
		events, err := st.Read(t.Context()).EventsAfter(org, "", 1)
		if err != nil {
			t.Fatal(err)
		}
		clock.Advance(24 * time.Hour)
		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.HoldDelivery(jobOf(tx, "wbs_x", events[0])) }) // a replay
		storetest.InTx(t, st, func(tx *store.Tx) error { return deliver(tx, bystander, "wbs_y") })
		for _, step := range []struct {
			at   time.Duration
			want string
		}{
			{webhookLife, "502 deliveries, 502 events"},
			{webhookLife + time.Millisecond, "1 deliveries, 1 events"},
			{webhookLife + 24*time.Hour, "1 deliveries, 1 events"},
			{webhookLife + 24*time.Hour + time.Millisecond, "0 deliveries, 0 events"},
		} {
			clock.Set(begin.Add(step.at))
			if step.at == webhookLife+24*time.Hour {
				if got := counts(t, st, bystander); got != "1 deliveries, 1 events" {
					t.Errorf("the other organization has %s", got)
				}
			}
			h.Sweep(t.Context())
			if got := counts(t, st, org); got != step.want {
				t.Errorf("after %v there are %s, want %s", step.at, got, step.want)
			}
		}
	})
}

// A deleted subscription's row goes when its open deliveries have ended, and not before deliveries that were
// just being recorded have appeared.
func TestSweepEndsDeliveriesOfDeletedSubscriptions(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		clock := storetest.NewClock()
		st := storetest.Open(t, engine, storetest.WithClock(clock))
		org := storetest.Org(t, st).ID
		h := start(t, st, slog.New(slog.DiscardHandler))
		s := chat.WebhookSubscription{ID: st.NewID(chat.KindSubscription), OrgID: org, URL: "https://hooks.example", Events: []string{"*"}, Status: chat.WebhookPaused}
		storetest.InTx(t, st, func(tx *store.Tx) error {
			if err := tx.InsertWebhookSubscription(s); err != nil {
				return err
			}
			for range batch + 1 {
				if err := deliver(tx, org, s.ID); err != nil {
					return err
				}
			}
			return tx.DeleteWebhookSubscription(org, s.ID)
		})
		left := func() string {
			deleted, err := st.Read(t.Context()).DeletedWebhookSubscriptions(org)
			if err != nil {
				t.Fatal(err)
			}
			open, err := st.Read(t.Context()).WebhookDeliveries(org, store.DeliveryFilter{Status: chat.DeliveryPending}, store.Page{Limit: 10 * batch})
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprint(len(deleted), " deleted, ", len(open.Rows), " open")
		}
		h.Sweep(t.Context())
		if got := left(); got != "1 deleted, 0 open" {
			t.Errorf("there are %s", got)
		}
		storetest.InTx(t, st, func(tx *store.Tx) error { return deliver(tx, org, s.ID) })
		clock.Advance(10*time.Minute + time.Millisecond)
		h.Sweep(t.Context())
		h.Sweep(t.Context())
		if got := left(); got != "0 deleted, 0 open" {
			t.Errorf("there are %s", got)
		}
	})
}
