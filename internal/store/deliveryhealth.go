package store

import (
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

// MaxCounted is where counts of deliveries stop.
const MaxCounted = 10_000

// DeliveryBucket is the number of deliveries made in a period, and of those that failed or are dead. Both stop
// at 10,000.
type DeliveryBucket struct {
	At                 time.Time
	Deliveries, Failed int
}

// DeliveryBuckets counts a subscription's deliveries in several periods of one length, from an instant on. It
// reads only indexes, and no more rows of a period than it counts.
func (r Reader) DeliveryBuckets(orgID, subscriptionID string, from time.Time, length time.Duration, n int) ([]DeliveryBucket, error) {
	buckets := make([]DeliveryBucket, n)
	for i := range buckets {
		at := from.Add(time.Duration(i) * length)
		b := DeliveryBucket{At: at}
		first, end := firstID(chat.KindDelivery, at), firstID(chat.KindDelivery, at.Add(length))
		var err error
		b.Deliveries, err = one(r, scanInt, `SELECT COUNT(*) FROM (SELECT id FROM webhook_deliveries
			WHERE org_id = $1 AND subscription_id = $2 AND id >= $3 AND id < $4 LIMIT $5) w`, orgID, subscriptionID, first, end, MaxCounted)
		for _, status := range []chat.DeliveryStatus{chat.DeliveryFailed, chat.DeliveryDead} {
			if err != nil || b.Deliveries == 0 {
				break
			}
			var failed int
			failed, err = one(r, scanInt, `SELECT COUNT(*) FROM (SELECT id FROM webhook_deliveries
				WHERE org_id = $1 AND subscription_id = $2 AND status = $6 AND status IN ('failed', 'dead') AND id >= $3 AND id < $4 LIMIT $5) w`,
				orgID, subscriptionID, first, end, MaxCounted, string(status))
			b.Failed += failed
		}
		if err != nil {
			return nil, err
		}
		buckets[i] = b
	}
	return buckets, nil
}

// CountReplayable is the number of deliveries that a bulk replay would take. It stops at 10,000.
func (r Reader) CountReplayable(orgID string, f ReplayFilter) (int, error) {
	c := f.conditions(orgID)
	return one(r, scanInt, "SELECT COUNT(*) FROM (SELECT id FROM webhook_deliveries"+c.where()+" LIMIT "+c.arg(MaxCounted)+") w", c.args...)
}
