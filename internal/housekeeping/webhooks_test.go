package housekeeping_test

import (
	"fmt"
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

func (h *house) counts(orgID string) string {
	h.T.Helper()
	r := h.Read()
	deliveries, err := r.WebhookDeliveries(orgID, store.DeliveryFilter{}, store.Page{Limit: 10 * batch})
	h.Must(err)
	events, err := r.EventsAfter(orgID, "", 10*batch)
	h.Must(err)
	return fmt.Sprint(len(deliveries.Rows), " deliveries, ", len(events), " events")
}

// Deliveries and events live 30 days; an event lives as long as a delivery needs it.
func TestSweepRemovesOldDeliveriesAndEvents(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		org, bystander := storetest.Org(t, h.Store).ID, storetest.Org(t, h.Store).ID
		begin := h.Clock.Now()
		h.InTx(func(tx *store.Tx) error {
			for range batch + 1 { // more than one batch
				if err := deliver(tx, org, "wbs_x"); err != nil {
					return err
				}
			}
			return deliver(tx, org, "")
		})
		events, err := h.Read().EventsAfter(org, "", 1)
		h.Must(err)
		h.Clock.Advance(24 * time.Hour)
		h.InTx(func(tx *store.Tx) error { return tx.HoldDelivery(jobOf(tx, "wbs_x", events[0])) }) // a replay
		h.InTx(func(tx *store.Tx) error { return deliver(tx, bystander, "wbs_y") })
		for _, step := range []struct {
			at   time.Duration
			want string
		}{
			{webhookLife, "502 deliveries, 502 events"},
			{webhookLife + time.Millisecond, "1 deliveries, 1 events"},
			{webhookLife + 24*time.Hour, "1 deliveries, 1 events"},
			{webhookLife + 24*time.Hour + time.Millisecond, "0 deliveries, 0 events"},
		} {
			h.Clock.Set(begin.Add(step.at))
			if step.at == webhookLife+24*time.Hour {
				if got := h.counts(bystander); got != "1 deliveries, 1 events" {
					t.Errorf("the other organization has %s", got)
				}
			}
			h.sweep()
			if got := h.counts(org); got != step.want {
				t.Errorf("after %v there are %s, want %s", step.at, got, step.want)
			}
		}
	})
}

// A deleted subscription's row goes when its open deliveries have ended, and not before deliveries that were
// just being recorded have appeared.
func TestSweepEndsDeliveriesOfDeletedSubscriptions(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		org := storetest.Org(t, h.Store).ID
		s := chat.WebhookSubscription{ID: h.Store.NewID(chat.KindSubscription), OrgID: org, URL: "https://hooks.example", Events: []string{"*"}, Status: chat.WebhookPaused}
		h.InTx(func(tx *store.Tx) error {
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
			deleted, err := h.Read().DeletedWebhookSubscriptions(org)
			h.Must(err)
			open, err := h.Read().WebhookDeliveries(org, store.DeliveryFilter{Status: chat.DeliveryPending}, store.Page{Limit: 10 * batch})
			h.Must(err)
			return fmt.Sprint(len(deleted), " deleted, ", len(open.Rows), " open")
		}
		h.sweep()
		if got := left(); got != "1 deleted, 0 open" {
			t.Errorf("there are %s", got)
		}
		h.InTx(func(tx *store.Tx) error { return deliver(tx, org, s.ID) })
		h.Clock.Advance(10*time.Minute + time.Millisecond)
		h.sweep()
		h.sweep()
		if got := left(); got != "0 deleted, 0 open" {
			t.Errorf("there are %s", got)
		}
	})
}
