package store

import (
	"math"
	"time"
)

// TokenLease is the number of tokens that a node took from an organization's bucket.
type TokenLease struct {
	// Granted is how many tokens the node may spend.
	Granted int64
	// Left is what the bucket held afterwards, at At.
	Left float64
	At   time.Time
}

// Unknown is the age of a bucket that this process has not used.
const Unknown time.Duration = math.MaxInt64

// LeaseTokens takes up to want whole tokens from a bucket that holds capacity and refills continuously,
// capacity a minute. There is one bucket per organization and class for all nodes. A new bucket is full. since
// is the time since this process last used the bucket: it has not refilled for longer, whatever the wall clock
// says.
func (tx *Tx) LeaseTokens(orgID, class string, capacity, want int64, since time.Duration) (TokenLease, error) {
	if _, err := tx.exec(`INSERT INTO rate_buckets (org_id, class, tokens, updated_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (org_id, class) DO NOTHING`, orgID, class, float64(capacity), tx.now.UnixMilli()); err != nil {
		return TokenLease{}, err
	}
	lease, err := tx.Bucket(orgID, class, capacity, tx.now, since)
	if err != nil {
		return TokenLease{}, err
	}
	lease.Granted = min(want, int64(lease.Left))
	lease.Left -= float64(lease.Granted)
	_, err = tx.exec("UPDATE rate_buckets SET tokens = $3, updated_at = $4 WHERE org_id = $1 AND class = $2",
		orgID, class, lease.Left, lease.At.UnixMilli())
	return lease, err
}

// Bucket returns the tokens in a bucket, refilled up to now, without taking any.
func (r Reader) Bucket(orgID, class string, capacity int64, now time.Time, since time.Duration) (TokenLease, error) {
	return one(r, func(row scanner) (lease TokenLease, err error) {
		var tokens float64
		var updatedAt int64
		if err := row.Scan(&tokens, &updatedAt); err != nil {
			return lease, err
		}
		elapsed, at := bucketTime(toTime(updatedAt), now, since)
		lease.Left, lease.At = Refill(tokens, capacity, elapsed), at
		return lease, nil
	}, "SELECT tokens, updated_at FROM rate_buckets WHERE org_id = $1 AND class = $2"+r.forUpdate(), orgID, class)
}

// bucketTime returns how long a bucket has been refilling, and its new time. A node whose clock is a little
// behind adds nothing and leaves the bucket's time. If it is far behind, one of the clocks was turned: the
// bucket continues from now, so that nobody waits until the clock has caught up.
func bucketTime(updatedAt, now time.Time, since time.Duration) (elapsed time.Duration, at time.Time) {
	switch elapsed = now.Sub(updatedAt); {
	case elapsed >= 0:
		return min(elapsed, since), now
	case elapsed >= -clockSkew:
		return 0, updatedAt
	default:
		return 0, now
	}
}

// Refill returns the tokens of a bucket after some time without a withdrawal.
func Refill(tokens float64, capacity int64, elapsed time.Duration) float64 {
	return math.Min(float64(capacity), tokens+float64(capacity)*elapsed.Minutes())
}
