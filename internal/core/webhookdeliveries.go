package core

import (
	"errors"
	"slices"
	"strconv"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// maxReplays is how many deliveries one bulk replay takes.
const maxReplays = 1000

// WebhookDelivery returns one delivery with all its details.
func WebhookDelivery(r store.Reader, orgID, id string) (chat.WebhookDeliveryDetail, error) {
	d, err := r.WebhookDeliveryDetail(orgID, id)
	if err != nil {
		return d, orNotFound(err, "webhook delivery")
	}
	shown := []chat.WebhookDelivery{d.WebhookDelivery}
	err = expectAttempts(r, orgID, shown)
	d.WebhookDelivery = shown[0]
	return d, err
}

// WebhookDeliveries returns one page of deliveries.
func WebhookDeliveries(r store.Reader, orgID string, f store.DeliveryFilter, p store.Page) (store.Slice[chat.WebhookDelivery], error) {
	found, err := r.WebhookDeliveries(orgID, f, p)
	if err != nil {
		return found, err
	}
	return found, expectAttempts(r, orgID, found.Rows)
}

// expectAttempts replaces the instants at which deliveries are due by those at which they can leave: an endpoint that
// keeps failing is spared for a while, and a paused one gets nothing.
func expectAttempts(r store.Reader, orgID string, deliveries []chat.WebhookDelivery) error {
	var waiting []string
	for _, d := range deliveries {
		if d.NextAttemptAt != nil && !slices.Contains(waiting, d.SubscriptionID) {
			waiting = append(waiting, d.SubscriptionID)
		}
	}
	if len(waiting) == 0 {
		return nil
	}
	found, err := r.WebhookSubscriptionsByID(orgID, waiting)
	byID := make(map[string]chat.WebhookSubscription, len(found))
	for _, s := range found {
		byID[s.ID] = s
	}
	for i, d := range deliveries {
		if s, ok := byID[d.SubscriptionID]; ok && d.NextAttemptAt != nil {
			deliveries[i].NextAttemptAt = s.NextAttempt(*d.NextAttemptAt)
		}
	}
	return err
}

// ReplayDelivery delivers an event again. Scheduled attempts of the old delivery are cancelled: the new one replaces
// it.
func ReplayDelivery(tx *store.Tx, orgID, id string) (chat.WebhookDeliveryDetail, error) {
	old, err := tx.WebhookDelivery(orgID, id)
	if err != nil {
		return chat.WebhookDeliveryDetail{}, orNotFound(err, "webhook delivery")
	}
	s, err := usableSubscription(tx, orgID, old.SubscriptionID)
	if err != nil {
		return chat.WebhookDeliveryDetail{}, err
	}
	if !old.Replayable() {
		return chat.WebhookDeliveryDetail{}, chat.Invalid("id", "The delivery is still on its way. It can be replayed once it was attempted.")
	}
	event, err := tx.Event(orgID, old.EventRow)
	if err != nil {
		return chat.WebhookDeliveryDetail{}, orNotFound(err, "event")
	}
	if len(event.Payload) == 0 {
		return chat.WebhookDeliveryDetail{}, chat.Invalid("id", "The message that the event tells of was removed, and its content with it. There is nothing left to replay.")
	}
	if err := tx.MarkReplayed(old); err != nil {
		return chat.WebhookDeliveryDetail{}, err
	}
	job := deliveryOf(tx, s, event)
	job.ReplayedFrom = id
	s.Spared.ProbeAt = nil
	return pendingDelivery(s, job), errors.Join(deliver(tx, s, job), tx.ProbeSubscription(orgID, s.ID), audit(tx, orgID, chat.AuditReplayed, ofWebhook(s), "deliveries", "1"))
}

// pendingDelivery is a new delivery as it is shown.
func pendingDelivery(s chat.WebhookSubscription, j store.DeliveryJob) chat.WebhookDeliveryDetail {
	d := chat.WebhookDelivery{
		ID: j.ID, OrgID: j.OrgID, SubscriptionID: j.SubscriptionID, EventRow: j.EventRow, EventID: j.EventID, EventType: j.EventType,
		Subject: j.Subject, Status: chat.DeliveryPending, NextAttemptAt: s.NextAttempt(j.DueAt), CreatedAt: j.CreatedAt,
	}
	if j.ReplayedFrom != "" {
		d.ReplayedFrom = &j.ReplayedFrom
	}
	return chat.WebhookDeliveryDetail{WebhookDelivery: d, Payload: j.Payload}
}

// BulkReplay counts the replayed deliveries, and says whether there are more.
type BulkReplay struct {
	Enqueued int
	Capped   bool
}

// ReplayDeliveries replays the deliveries of a subscription that match the filter, oldest first and none twice:
// repeated until nothing is left, it replays each once. Deliveries whose payload was removed are left out. The new
// ones have no owner at first, so that a large replay takes no memory.
func ReplayDeliveries(tx *store.Tx, orgID string, f store.ReplayFilter) (BulkReplay, error) {
	s, err := usableSubscription(tx, orgID, f.SubscriptionID)
	if err != nil {
		return BulkReplay{}, err
	}
	old, err := tx.TakeForReplay(orgID, f, maxReplays)
	if err != nil || len(old) == 0 {
		return BulkReplay{}, err
	}
	rows := make([]string, len(old))
	for i, d := range old {
		rows[i] = d.EventRow
	}
	left, err := tx.EventsWithPayload(orgID, rows)
	if err != nil {
		return BulkReplay{}, err
	}
	enqueued := 0
	for _, d := range old {
		if !left[d.EventRow] {
			continue
		}
		enqueued++
		err := tx.HoldDelivery(store.DeliveryJob{
			OrgID: orgID, ID: tx.NewID(chat.KindDelivery), SubscriptionID: s.ID, EventRow: d.EventRow, EventID: d.EventID,
			EventType: d.EventType, Subject: d.Subject, DueAt: tx.Now(), ReplayedFrom: d.ID, CreatedAt: tx.Now(),
		})
		if err != nil {
			return BulkReplay{}, err
		}
	}
	tx.SubscriptionChanged(orgID, s.ID)
	more, err := tx.LeftToReplay(orgID, f)
	return BulkReplay{enqueued, more}, errors.Join(err, tx.ProbeSubscription(orgID, s.ID), audit(tx, orgID, chat.AuditReplayed, ofWebhook(s), "deliveries", strconv.Itoa(enqueued)))
}

// TestWebhookSubscription sends a sample event to one subscription. Without a type it takes the first one that the
// subscription wants.
func TestWebhookSubscription(tx *store.Tx, orgID, id string, kind chat.EventType) (chat.WebhookDeliveryDetail, error) {
	s, err := usableSubscription(tx, orgID, id)
	if err != nil {
		return chat.WebhookDeliveryDetail{}, err
	}
	if kind == "" {
		kind = chat.EventType(s.Events[0])
		if kind == chat.AllEvents {
			kind = chat.EventMessageReceived
		}
	}
	event, err := sampleEvent(tx, s, kind)
	if err != nil {
		return chat.WebhookDeliveryDetail{}, err
	}
	if err := tx.InsertEvent(event); err != nil {
		return chat.WebhookDeliveryDetail{}, err
	}
	job := deliveryOf(tx, s, event)
	return pendingDelivery(s, job), errors.Join(deliver(tx, s, job), audit(tx, orgID, chat.AuditWebhookTested, ofWebhook(s), "event", string(kind)))
}
