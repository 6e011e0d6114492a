package sender

import (
	"time"

	"github.com/parleyhq/parley/internal/store"
)

const (
	// burst is how much time's worth of messages may go at once, and at least one message.
	burst = 250 * time.Millisecond
	// recovery is how long it takes from standing still back to the full rate.
	recovery = 10 * time.Minute
	// perMessage is the rate of one message a second: rates are counted in thousandths of that.
	perMessage = 1000
	// price is the credit that a message costs: what a second earns at the rate of one a second.
	price = perMessage * int64(time.Second)
)

// pacer keeps a number within its rate, and slows down when the provider says that it is too fast. It
// counts in whole numbers: a nanosecond earns as much credit as the rate says, so nothing is ever
// rounded, but for the wait, which is rounded up.
type pacer struct {
	full     int64 // the configured rate
	slowed   int64 // the rate at slowedAt; it grows from there
	slowedAt store.Moment
	credit   int64        // earned and not spent, at the moment at
	at       store.Moment // zero, long ago, at first: all that can be saved up is there
	until    store.Moment // paused
}

func newPacer(perSecond float64) pacer {
	full := max(1, int64(perSecond*perMessage))
	return pacer{full: full, slowed: full}
}

// take spends a message's credit and reports true, or tells how long to wait before asking again.
func (p *pacer) take(now store.Moment) (wait time.Duration, ok bool) {
	if now.Before(p.until) {
		return p.until.Sub(now), false
	}
	return p.spend(now, price)
}

// takeBulk is take for a message of a broadcast, which leaves some credit for those of people.
func (p *pacer) takeBulk(now store.Moment) (wait time.Duration, ok bool) {
	if now.Before(p.until) {
		return p.until.Sub(now), false
	}
	most := p.most(now)
	return p.spend(now, price+min(most/4, most-price))
}

// spend spends a message's credit if so much is there.
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

// earn adds what the time since the last look is worth, at the rate of its beginning, which is never
// higher than any after it. No time is counted twice, whatever the clock does.
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

// rate is how fast the number may send then.
func (p *pacer) rate(then store.Moment) int64 {
	since := min(max(0, then.Sub(p.slowedAt)), recovery)
	return min(p.full, p.slowed+p.full*since.Milliseconds()/recovery.Milliseconds())
}

// hold pauses for a while, and halves the rate for what follows. A pause that is under way becomes
// longer and nothing more: it answers calls that had left before it.
func (p *pacer) hold(now store.Moment, pause time.Duration) {
	if !now.Before(p.until) {
		p.slowed, p.slowedAt = max(min(perMessage, p.full), p.rate(now)/2), now
		p.credit, p.at = 0, now
	}
	p.until = max(p.until, now.Add(pause))
}

// rested tells that nothing is left of a pause or of the slowness after it.
func (p *pacer) rested(now store.Moment) bool {
	return !now.Before(p.until) && p.rate(now) == p.full
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }
