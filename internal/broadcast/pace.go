package broadcast

import (
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// burst is how much time's worth of messages may be made at once.
const burst = 500 * time.Millisecond

// bucket keeps to a rate. It begins empty, so that a restart makes nothing faster.
type bucket struct {
	tokens float64
	at     store.Moment
}

// fill adds what the time since the last look is worth, and returns how many messages that allows.
func (b *bucket) fill(now store.Moment, perSecond float64) int {
	if b.at.IsZero() {
		b.at = now
	}
	b.tokens = min(b.tokens+now.Sub(b.at).Seconds()*perSecond, max(1, perSecond*burst.Seconds()))
	b.at = now
	return int(b.tokens)
}

// allowance is how many messages a broadcast may make now, of those that its number has room for.
func (w *Worker) allowance(n *number, b chat.Broadcast, slow bool, room int) int {
	now, half := w.cfg.Store.Moment(), 1.0
	if slow {
		half = 0.5
	}
	allowed := min(room, n.pace.fill(now, w.cfg.PerSecond*share*half))
	if b.PerSecond == nil {
		return allowed
	}
	own := n.each[b.ID]
	if own == nil {
		own = &bucket{}
		n.each[b.ID] = own
	}
	return min(allowed, own.fill(now, float64(*b.PerSecond)*half))
}

// spend takes messages that were made from what is allowed.
func (w *Worker) spend(n *number, b chat.Broadcast, messages int) {
	n.pace.tokens -= float64(messages)
	if own := n.each[b.ID]; own != nil {
		own.tokens -= float64(messages)
	}
}
