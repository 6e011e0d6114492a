package housekeeping

import (
	"context"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// webhookLife is how long deliveries, and events that none needs, can be looked up.
const webhookLife = 30 * 24 * time.Hour

// sweepWebhooks removes old deliveries and events, and what is left of subscriptions that were deleted.
func (h *Housekeeper) sweepWebhooks(ctx context.Context) error {
	orgs, err := h.store.Read(ctx).Organizations()
	if err != nil {
		return err
	}
	for _, org := range orgs {
		if err := h.sweepDeleted(ctx, org.ID); err != nil {
			return err
		}
		h.purge(ctx, "webhook deliveries", batchRows, func(tx *store.Tx) (int64, error) {
			return tx.PurgeWebhookDeliveries(org.ID, tx.Now().Add(-webhookLife), batchRows)
		})
		h.purge(ctx, "events", batchRows, func(tx *store.Tx) (int64, error) {
			return tx.PurgeEvents(org.ID, tx.Now().Add(-webhookLife), batchRows)
		})
	}
	return nil
}

// sweepDeleted ends what is open of an organization's deleted subscriptions, and forgets those.
func (h *Housekeeper) sweepDeleted(ctx context.Context, orgID string) error {
	deleted, err := h.store.Read(ctx).DeletedWebhookSubscriptions(orgID)
	for _, id := range deleted {
		h.purge(ctx, "deliveries of a deleted subscription", batchRows, func(tx *store.Tx) (int64, error) {
			n, err := tx.EndDeliveries(orgID, id, chat.DeliverySubscriptionDeleted, batchRows)
			if err != nil || n > 0 {
				return n, err
			}
			return 0, tx.ForgetWebhookSubscription(orgID, id)
		})
	}
	return err
}
