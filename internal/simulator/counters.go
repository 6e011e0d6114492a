package simulator

import (
	"sync"
	"sync/atomic"

	"github.com/parleyhq/parley/internal/simulator/names"
	"github.com/parleyhq/parley/internal/simulator/recent"
)

// counters are for load tests. They count since the last reset.
type counters struct {
	sends, accepted, reads, typing                atomic.Int64
	sent, delivered, read, played, failed         atomic.Int64
	inbound                                       atomic.Int64
	queued, posts, posted, retried, dropped, lost atomic.Int64
}

func (c *counters) status(st string) {
	switch st {
	case statusSent:
		c.sent.Add(1)
	case statusDelivered:
		c.delivered.Add(1)
	case statusRead:
		c.read.Add(1)
	case statusPlayed:
		c.played.Add(1)
	case statusFailed:
		c.failed.Add(1)
	}
}

func (c *counters) all() map[string]*atomic.Int64 {
	return map[string]*atomic.Int64{
		"send_requests": &c.sends, "accepted": &c.accepted, "read_receipts": &c.reads, "typing_indicators": &c.typing,
		"status_sent": &c.sent, "status_delivered": &c.delivered, "status_read": &c.read, "status_played": &c.played,
		"status_failed": &c.failed, "inbound": &c.inbound,
		"callbacks_queued": &c.queued, "callbacks_dropped": &c.dropped, "callbacks_acknowledged": &c.posted,
		"callback_posts": &c.posts, "callback_retries": &c.retried, "callbacks_given_up": &c.lost,
	}
}

func (c *counters) Reset() {
	for _, n := range c.all() {
		n.Store(0)
	}
}

type hashKey uint64

func (k hashKey) Hash() uint64 { return uint64(k) }

// opaqueCounter counts how often each biz_opaque_callback_data was accepted, so that a crash test can tell lost from
// repeated sends. It keeps hashes, so that millions fit.
type opaqueCounter struct {
	seen     *recent.Map[hashKey, int32]
	distinct atomic.Int64
	repeated atomic.Int64 // acceptances beyond the first

	mu       sync.Mutex
	examples []string
}

const (
	maxOpaque   = 4_000_000
	maxExamples = 100
)

func newOpaqueCounter() *opaqueCounter {
	return &opaqueCounter{seen: recent.New[hashKey, int32](maxOpaque)}
}

func (o *opaqueCounter) add(data string) {
	times := o.seen.Update(hashKey(names.HashString(data)), func(n int32) int32 { return n + 1 })
	if times == 1 {
		o.distinct.Add(1)
		return
	}
	o.repeated.Add(1)
	o.mu.Lock()
	defer o.mu.Unlock()
	if times == 2 && len(o.examples) < maxExamples {
		o.examples = append(o.examples, data)
	}
}

func (o *opaqueCounter) repeatedExamples() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]string{}, o.examples...)
}

func (o *opaqueCounter) Reset() {
	o.seen.Reset()
	o.distinct.Store(0)
	o.repeated.Store(0)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.examples = nil
}
