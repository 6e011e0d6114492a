package core

import (
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// record stores an event, with a delivery for each subscription that wants it, in the transaction of its change.
func record(tx *store.Tx, e chat.Event) error {
	if err := tx.InsertEvent(e); err != nil {
		return err
	}
	receivers, err := tx.EventReceivers(e.OrgID)
	if err != nil {
		return err
	}
	for _, s := range receivers {
		if !s.Wants(e.Type, e.PhoneNumberID) {
			continue
		}
		if err := deliver(tx, s, deliveryOf(tx, s, e)); err != nil {
			return err
		}
	}
	return nil
}

// deliver stores a delivery according to the subscription's status: it is sent, waits until the subscription is
// resumed, or is kept for a replay.
func deliver(tx *store.Tx, s chat.WebhookSubscription, job store.DeliveryJob) error {
	switch s.Status {
	case chat.WebhookActive:
		return tx.InsertDelivery(job)
	case chat.WebhookPaused:
		return tx.HoldDelivery(job)
	default:
		return tx.InsertDeadDelivery(job, chat.DeliverySubscriptionDisabled)
	}
}

func deliveryOf(tx *store.Tx, s chat.WebhookSubscription, e chat.Event) store.DeliveryJob {
	return store.DeliveryJob{
		OrgID: e.OrgID, ID: tx.NewID(chat.KindDelivery), SubscriptionID: s.ID, EventRow: e.ID, EventID: e.EventID,
		EventType: e.Type, Source: e.Source, Subject: e.Subject, Payload: e.Payload, DueAt: tx.Now(), CreatedAt: tx.Now(),
	}
}
