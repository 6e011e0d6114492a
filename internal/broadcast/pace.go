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

// flow is how fast messages leave a queue. It follows a rise at once, and a fall slowly, because they leave in handfuls.
type flow struct {
	perSecond float64
	waiting   int // when it was last looked at, and what was added since
	at        store.Moment
}

// slowly is how long a fall takes.
const slowly = time.Second

// look notes how many messages wait now.
func (f *flow) look(now store.Moment, waiting int) {
	if since := now.Sub(f.at).Seconds(); !f.at.IsZero() && since > 0 {
		left := float64(max(0, f.waiting-waiting)) / since
		f.perSecond = max(left, f.perSecond+(left-f.perSecond)*min(1, since/slowly.Seconds()))
	}
	f.at, f.waiting = now, waiting
}

// within is how many messages leave in some time.
func (f *flow) within(d time.Duration) int { return int(f.perSecond * d.Seconds()) }

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
func (n *number) spend(b chat.Broadcast, messages int) {
	n.pace.tokens -= float64(messages)
	if own := n.each[b.ID]; own != nil {
		own.tokens -= float64(messages)
	}
}
