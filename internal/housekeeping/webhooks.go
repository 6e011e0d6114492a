package housekeeping

import (
	"context"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// webhookLife is how long deliveries, and events that none needs, can be looked up.
const webhookLife = 30 * 24 * time.Hour

// webhooks removes an organization's old deliveries and events, and what is left of subscriptions
// that were deleted.
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
	h.purgeOld(ctx, store.Events, orgID, webhookLife, (*store.Tx).PurgeEvents)
}
