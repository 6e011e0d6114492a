package store

import (
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

// MaxCounted is where counts of deliveries stop.
const MaxCounted = 10_000

// DeliveryBucket is the number of deliveries made in a period, of those that wait for their first attempt, and of
// those that failed or are dead. Each stops at 10,000.
type DeliveryBucket struct {
	At                          time.Time
	Deliveries, Waiting, Failed int
}

// DeliveryBuckets counts a subscription's deliveries in several periods of one length, from an instant on. It
// counts along indexes, and no more rows of a period than it tells.
func (r Reader) DeliveryBuckets(orgID, subscriptionID string, from time.Time, length time.Duration, n int) ([]DeliveryBucket, error) {
	buckets := make([]DeliveryBucket, n)
	for i := range buckets {
		at := from.Add(time.Duration(i) * length)
		b, err := r.deliveryBucket(orgID, subscriptionID, at, at.Add(length))
		if err != nil {
			return nil, err
		}
		buckets[i] = b
	}
	return buckets, nil
}

func (r Reader) deliveryBucket(orgID, subscriptionID string, at, end time.Time) (b DeliveryBucket, err error) {
	count := func(condition string) int {
		if err != nil {
			return 0
		}
		var n int
		n, err = one(r, scanInt, `SELECT COUNT(*) FROM (SELECT id FROM webhook_deliveries
			WHERE org_id = $1 AND subscription_id = $2 AND id >= $3 AND id < $4`+condition+` LIMIT $5) w`,
			orgID, subscriptionID, firstID(chat.KindDelivery, at), firstID(chat.KindDelivery, end), MaxCounted)
		return n
	}
	b = DeliveryBucket{At: at, Deliveries: count("")}
	if b.Deliveries == 0 {
		return b, err
	}
	// The second half of each condition is true anyway: it is what the partial index for that status says.
	b.Waiting = count(" AND status = 'pending' AND status <> 'succeeded'")
	for _, status := range []string{"'failed'", "'dead'"} {
		b.Failed += count(" AND status = " + status + " AND status IN ('failed', 'dead')")
	}
	return b, err
}

// CountReplayable is the number of deliveries that a bulk replay would take. It stops at 10,000.
func (r Reader) CountReplayable(orgID string, f ReplayFilter) (int, error) {
	c := f.conditions(orgID)
	return one(r, scanInt, "SELECT COUNT(*) FROM (SELECT id FROM webhook_deliveries"+c.where()+" LIMIT "+c.arg(MaxCounted)+") w", c.args...)
}
