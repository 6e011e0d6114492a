package onboard

import (
	"sync"
	"time"

	"github.com/parleyhq/parley/internal/store"
)

// limit is the size of a bucket and how fast it refills.
type limit struct {
	name  string
	burst float64
	every time.Duration // the time for one more request
}

var (
	// perAddress is generous, because a whole office can share one address, and all visitors share that of an
	// untrusted proxy.
	perAddress = limit{"address", 300, 200 * time.Millisecond}
	perLink    = limit{"link", 30, 2 * time.Second}
	// perMiss is for tokens of links that do not exist.
	perMiss = limit{"miss", 20, 10 * time.Second}
)

// maxBuckets bounds the memory. At the limit, full buckets are forgotten, and if there are none, all buckets.
const maxBuckets = 20_000

// limiter counts requests on this node alone. It stops hammering; it is not a quota.
type limiter struct {
	now func() store.Moment

	mu      sync.Mutex
	buckets map[string]bucket
}

type bucket struct {
	tokens float64
	at     store.Moment
	limit  limit
}

func newLimiter(now func() store.Moment) *limiter {
	return &limiter{now: now, buckets: map[string]bucket{}}
}

// allow takes a token for the key, or reports that there is none.
func (l *limiter) allow(by limit, key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	key = by.name + " " + key
	now := l.now()
	b, known := l.buckets[key]
	if !known {
		l.makeRoom(now)
		b = bucket{tokens: by.burst, at: now, limit: by}
	}
	b.tokens, b.at = b.filled(now), now
	allowed := b.tokens >= 1
	if allowed {
		b.tokens--
	}
	l.buckets[key] = b
	return allowed
}

func (b bucket) filled(now store.Moment) float64 {
	return min(b.limit.burst, b.tokens+float64(now.Sub(b.at))/float64(b.limit.every))
}

func (l *limiter) makeRoom(now store.Moment) {
	if len(l.buckets) < maxBuckets {
		return
	}
	for key, b := range l.buckets {
		if b.filled(now) >= b.limit.burst {
			delete(l.buckets, key)
		}
	}
	if len(l.buckets) >= maxBuckets {
		clear(l.buckets)
	}
}
