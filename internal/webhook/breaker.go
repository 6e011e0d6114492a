package webhook

import (
	"time"

	"github.com/parleyhq/parley/internal/store"
)

const (
	minConcurrency   = 1
	startConcurrency = 4
	maxConcurrency   = 64

	// After breakAfter failures in a row, only an occasional probe leaves the lane.
	breakAfter = 5
	firstProbe = 5 * time.Second
	lastProbe  = 300 * time.Second
)

// verdict is what an attempt tells about the endpoint.
type verdict int

const (
	good    verdict = iota
	failed          // for a reason that slowing down does not help
	choking         // time-outs, 429 and 5xx
)

// breakerState is the state of a breaker.
type breakerState int

const (
	closed  breakerState = iota // jobs leave, up to limit at a time
	open                        // nothing leaves until the next probe
	probing                     // one job is under way, and its outcome decides
)

// breaker decides when a job may leave for an endpoint, by the results of the last attempts.
type breaker struct {
	state     breakerState
	inFlight  int
	limit     int
	row       int          // failures in a row
	openUntil store.Moment // when the next probe may leave
	backoff   time.Duration
	heldUntil store.Moment // the wait that the endpoint asked for
	asked     bool         // somebody asked for a replay, so a probe may leave before its time
}

func (b *breaker) broken() bool { return b.state != closed }

// lets tells whether a job may leave now.
func (b *breaker) lets(now store.Moment) bool {
	switch {
	case now.Before(b.heldUntil):
		return false
	case b.state == open:
		return b.inFlight == 0 && (b.asked || !now.Before(b.openUntil))
	default:
		return b.state == closed && b.inFlight < b.limit
	}
}

// early tells whether a probe would leave before its time.
func (b *breaker) early(now store.Moment) bool { return b.state == open && now.Before(b.openUntil) }

// freeAt is when the passing of time alone lets a job leave.
func (b *breaker) freeAt() store.Moment {
	if b.state == open && b.inFlight == 0 && !b.asked {
		return max(b.heldUntil, b.openUntil)
	}
	return b.heldUntil
}

// sparedUntil is when a job may leave if nobody asks for it earlier; zero if none is kept back.
func (b *breaker) sparedUntil() (probe, held store.Moment) {
	if b.state == open {
		probe = b.openUntil
	}
	return probe, b.heldUntil
}

func (b *breaker) left() {
	b.inFlight++
	if b.state != open {
		return
	}
	b.state = probing
	if b.asked {
		b.asked, b.backoff = false, 0
	}
}

// ask lets the next probe leave at once: whoever replays a delivery believes that the endpoint is mended. If it is not,
// the waits between probes begin anew. An endpoint that asked for a wait keeps it.
func (b *breaker) ask() { b.asked = b.broken() }

// comeBack is for a job that left but was not attempted, so it tells nothing about the endpoint.
func (b *breaker) comeBack() {
	b.inFlight--
	if b.state == probing {
		b.state = open
	}
}

// judge counts the end of an attempt.
func (b *breaker) judge(v verdict, now store.Moment) {
	b.inFlight--
	if v == good {
		b.succeed()
		return
	}
	b.row++
	if v == choking {
		b.limit = max(minConcurrency, b.limit/2)
	}
	switch {
	case b.state == probing:
		b.trip(min(max(2*b.backoff, firstProbe), lastProbe), now)
	case b.state == closed && b.row >= breakAfter:
		b.trip(firstProbe, now)
	}
}

func (b *breaker) trip(backoff time.Duration, now store.Moment) {
	b.state, b.backoff, b.openUntil = open, backoff, now.Add(backoff)
}

func (b *breaker) succeed() {
	// Raise the limit only if it was the limit that kept more jobs from leaving.
	if b.inFlight+1 >= b.limit {
		b.limit = min(maxConcurrency, b.limit+1)
	}
	if b.broken() {
		b.limit = min(b.limit, startConcurrency)
	}
	b.state, b.row, b.openUntil, b.backoff, b.asked = closed, 0, 0, 0, false
}

// hold keeps everything back until the given moment.
func (b *breaker) hold(until store.Moment) { b.heldUntil = max(b.heldUntil, until) }

// revive resets the breaker after the owner changed the endpoint.
func (b *breaker) revive() {
	b.state, b.row, b.openUntil, b.backoff, b.heldUntil, b.asked = closed, 0, 0, 0, 0, false
	b.limit = max(b.limit, startConcurrency)
}
