package housekeeping

import (
	"context"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// webhookLife is how long deliveries, and events without deliveries, can be looked up.
const webhookLife = 30 * 24 * time.Hour

// webhooks deletes an organization's old deliveries and events, and the rest of deleted subscriptions.
func (h *Housekeeper) webhooks(ctx context.Context, orgID string) {
	deleted, err := h.store.Read(ctx).DeletedWebhookSubscriptions(orgID)
	if err != nil {
		h.log.Warn("housekeeping", "error", err)
		return
	}
	for _, id := range deleted {
		h.purge(ctx, "deliveries of a deleted subscription", func(tx *store.Tx, rows int) (int64, error) {
			n, err := tx.EndDeliveries(orgID, id, chat.DeliverySubscriptionDeleted, rows)
			if err != nil || n > 0 {
				return n, err
			}
			return 0, tx.ForgetWebhookSubscription(orgID, id)
		})
	}
	h.purgeOld(ctx, store.Deliveries, orgID, webhookLife, (*store.Tx).PurgeWebhookDeliveries)
	h.events(ctx, orgID)
}

// events deletes an organization's old events. Many may still be needed, so a step is bounded by the rows it
// reads, not by those it deletes.
func (h *Housekeeper) events(ctx context.Context, orgID string) {
	before := h.store.Now().Add(-webhookLife)
	if !h.anyBefore(ctx, store.Events, orgID, before) {
		return
	}
	var place string
	var removed int64
	h.inSteps(ctx, string(store.Events), func(tx *store.Tx, rows int) (int64, error) {
		walk, err := tx.PurgeEvents(orgID, place, before, rows)
		tx.AfterCommit(func() { place, removed = walk.Last, removed+walk.Removed })
		return walk.Looked, err
	})
	h.tell(string(store.Events), removed)
}
