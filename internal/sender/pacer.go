package sender

import "time"

// pacer is a token bucket that keeps a number within its rate, and slows down when the provider
// says that it is too fast.
type pacer struct {
	full   float64 // the configured rate, messages a second
	rate   float64 // the present one
	tokens float64
	at     time.Time
	until  time.Time // paused
}

func newPacer(perSecond float64) pacer {
	return pacer{full: perSecond, rate: perSecond, tokens: max(1, perSecond/4)}
}

// take spends a token, or says how long until there is one.
func (p *pacer) take(now time.Time) time.Duration {
	if now.Before(p.until) {
		return p.until.Sub(now)
	}
	if !p.at.IsZero() {
		elapsed := now.Sub(p.at).Seconds()
		// A quarter of a second's worth may go at once; ten minutes bring a slowed rate back.
		p.rate = min(p.full, p.rate+p.full*elapsed/600)
		p.tokens = min(max(1, p.rate/4), p.tokens+elapsed*p.rate)
	}
	p.at = now
	if p.tokens < 1 {
		return time.Duration((1 - p.tokens) / p.rate * float64(time.Second))
	}
	p.tokens--
	return 0
}

// hold pauses until the given instant, and halves the rate for what follows.
func (p *pacer) hold(until time.Time) {
	if until.After(p.until) {
		p.until = until
		p.rate = max(1, p.rate/2)
		p.tokens = 0
	}
}
