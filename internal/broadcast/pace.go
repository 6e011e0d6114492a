package broadcast

import (
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// burst is the time whose worth of messages may be made at once.
const burst = 500 * time.Millisecond

// bucket keeps to a rate. It begins empty, so that a restart does not make the rate higher.
type bucket struct {
	tokens float64
	at     store.Moment
}

// fill adds the tokens for the time since the last call, and returns how many messages they allow.
func (b *bucket) fill(now store.Moment, perSecond float64) int {
	if b.at.IsZero() {
		b.at = now
	}
	b.tokens = min(b.tokens+now.Sub(b.at).Seconds()*perSecond, max(1, perSecond*burst.Seconds()))
	b.at = now
	return int(b.tokens)
}

// allowance is how many messages a broadcast may make now, given the room that its number has.
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

// spend subtracts the messages that were made from the allowance.
func (w *Worker) spend(n *number, b chat.Broadcast, messages int) {
	n.pace.tokens -= float64(messages)
	if own := n.each[b.ID]; own != nil {
		own.tokens -= float64(messages)
	}
}
