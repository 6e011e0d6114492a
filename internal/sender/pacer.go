package sender

import (
	"time"

	"github.com/parleyhq/parley/internal/store"
)

const (
	// burst is the time whose worth of messages may be sent at once. At least one message may.
	burst = 250 * time.Millisecond
	// recovery is how long it takes from a standstill back to the full rate.
	recovery = 10 * time.Minute
	// perMessage is the rate of one message per second. Rates are counted in thousandths of a message per second.
	perMessage = 1000
	// price is the credit that a message costs: one second's earnings at the rate of one per second.
	price = perMessage * int64(time.Second)
)

// pacer keeps a number within its rate, and slows down when the provider says that it is too fast. It counts in whole
// numbers: a nanosecond earns as much credit as the rate says, so that nothing is rounded except the wait, which is
// rounded up.
type pacer struct {
	full     int64 // the configured rate
	slowed   int64 // the rate at slowedAt, from which it grows
	slowedAt store.Moment
	credit   int64        // earned and not spent, as of the moment at
	at       store.Moment // zero at first, which is long ago: the full burst is available
	until    store.Moment // paused until then
}

func newPacer(perSecond float64) pacer {
	full := max(1, int64(perSecond*perMessage))
	return pacer{full: full, slowed: full}
}

// take spends a message's credit and reports true, or returns how long to wait before asking again.
func (p *pacer) take(now store.Moment) (wait time.Duration, ok bool) {
	if now.Before(p.until) {
		return p.until.Sub(now), false
	}
	return p.spend(now, price)
}

// takeBulk is take for a broadcast's message. It leaves some credit for people's messages.
func (p *pacer) takeBulk(now store.Moment) (wait time.Duration, ok bool) {
	if now.Before(p.until) {
		return p.until.Sub(now), false
	}
	most := p.most(now)
	return p.spend(now, price+min(most/4, most-price))
}

// spend spends a message's credit if the needed credit is there.
func (p *pacer) spend(now store.Moment, needed int64) (wait time.Duration, ok bool) {
	p.earn(now)
	if p.credit >= needed {
		p.credit -= price
		return 0, true
	}
	return time.Duration(ceilDiv(needed-p.credit, p.rate(p.at))), false
}

// most is how much credit can be saved up.
func (p *pacer) most(now store.Moment) int64 { return max(price, p.rate(now)*int64(burst)) }

// earn adds the credit for the time since the last call, at the rate at its beginning, which is never higher than any
// rate after it. No time is counted twice, whatever the clock does.
func (p *pacer) earn(now store.Moment) {
	if !now.After(p.at) {
		return
	}
	elapsed, rate, most := int64(now.Sub(p.at)), p.rate(p.at), p.most(now)
	if missing := most - p.credit; missing <= 0 || elapsed >= ceilDiv(missing, rate) {
		p.credit = most
	} else {
		p.credit += elapsed * rate
	}
	p.at = now
}

// rate is how fast the number may send at that moment.
func (p *pacer) rate(then store.Moment) int64 {
	since := min(max(0, then.Sub(p.slowedAt)), recovery)
	return min(p.full, p.slowed+p.full*since.Milliseconds()/recovery.Milliseconds())
}

// hold pauses for a while, and halves the rate afterwards. If a pause is already running, hold only extends it, because
// the answer belongs to a call that left before the pause.
func (p *pacer) hold(now store.Moment, pause time.Duration) {
	if !now.Before(p.until) {
		p.slowed, p.slowedAt = max(min(perMessage, p.full), p.rate(now)/2), now
		p.credit, p.at = 0, now
	}
	p.until = max(p.until, now.Add(pause))
}

// rested tells whether neither a pause nor the slowness after it is left.
func (p *pacer) rested(now store.Moment) bool {
	return !now.Before(p.until) && p.rate(now) == p.full
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }
