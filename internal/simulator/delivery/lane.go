package delivery

import (
	"context"
	"sync"
	"time"
)

// lane posts updates to one address, one request at a time. While a request is under way more updates gather, so under
// load each request carries many.
//
// An address that cannot be reached pauses the lane, and everything stays in order. If an address answers with
// something other than 200, the same request is sent again later, and other requests meanwhile: one update that a
// receiver cannot process must not hold up the rest.
type lane[U any] struct {
	of    *Queue[U]
	url   string
	limit int
	wake  chan struct{}

	mu     sync.Mutex
	queue  []U
	head   int         // the index of the first update in queue
	again  []parcel[U] // parcels that are due for another attempt
	putOff int         // how many updates are in parcels that wait for their next attempt
	paused bool
	fails  int // failures in a row to reach the address
	epoch  int // grows when the lane is cleared, so that pending timers have no effect
}

// parcel is a request that is tried again.
type parcel[U any] struct {
	updates  []U
	attempts int
	first    time.Time
}

func newLane[U any](q *Queue[U], url string, limit int) *lane[U] {
	return &lane[U]{of: q, url: url, limit: limit, wake: make(chan struct{}, 1)}
}

func (l *lane[U]) add(u U) {
	l.mu.Lock()
	if l.waiting()+l.putOff >= l.limit && l.head < len(l.queue) {
		l.head++ // the oldest update is dropped
		l.of.cfg.Counters.Dropped.Add(1)
		l.count(-1)
	}
	l.hold()
	l.queue = append(l.queue, u)
	l.count(1)
	l.mu.Unlock()
	l.poke()
}

// hold makes the first update wait for others, if the faults ask for it.
func (l *lane[U]) hold() {
	d := l.of.cfg.Hold()
	if d <= 0 || l.paused || l.waiting() > 0 {
		return
	}
	l.paused = true
	epoch := l.epoch
	l.of.cfg.After(d, func(time.Time) { l.resume(epoch) })
}

// count tracks the updates on their way. A paused lane has none.
func (l *lane[U]) count(n int) {
	if !l.paused {
		l.of.pending.add(n)
	}
}

func (l *lane[U]) poke() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *lane[U]) waiting() int {
	n := len(l.queue) - l.head
	for _, p := range l.again {
		n += len(p.updates)
	}
	return n
}

func (l *lane[U]) size() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.waiting() + l.putOff
}

func (l *lane[U]) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count(-l.waiting())
	l.queue, l.head, l.again, l.putOff = nil, 0, nil, 0
	l.paused, l.fails = false, 0
	l.epoch++
}

// take removes the updates for the next request, or returns none.
func (l *lane[U]) take(size int) (p parcel[U], epoch int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.paused {
		return parcel[U]{}, l.epoch
	}
	if len(l.again) > 0 {
		p = l.again[0]
		l.again = l.again[1:]
		return p, l.epoch
	}
	n := min(size, len(l.queue)-l.head)
	if n == 0 {
		return parcel[U]{}, l.epoch
	}
	p.updates = append([]U(nil), l.queue[l.head:l.head+n]...)
	clear(l.queue[l.head : l.head+n])
	l.head += n
	if l.head == len(l.queue) {
		l.queue, l.head = l.queue[:0], 0
	} else if l.head > len(l.queue)/2 {
		l.queue = append(l.queue[:0], l.queue[l.head:]...)
		l.head = 0
	}
	return p, l.epoch
}

// pace is the least time between two requests of a lane. It is real time, whatever the clock says. A quiet lane posts
// at once; a busy one gathers updates instead of spending a core on small requests.
const pace = 5 * time.Millisecond

func (l *lane[U]) loop(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		p, epoch := l.next(ctx)
		if len(p.updates) == 0 {
			return
		}
		timer.Reset(pace)
		reached, accepted := l.of.cfg.Post(ctx, l.url, p.updates)
		switch {
		case accepted:
			l.done(len(p.updates))
		case !reached:
			l.pause(p, epoch)
		default:
			l.later(p, epoch)
		}
	}
}

// next waits for a parcel to post. It returns an empty one when ctx ends.
func (l *lane[U]) next(ctx context.Context) (parcel[U], int) {
	for {
		if p, epoch := l.take(l.of.cfg.BatchSize()); len(p.updates) > 0 {
			return p, epoch
		}
		select {
		case <-ctx.Done():
			return parcel[U]{}, 0
		case <-l.wake:
		}
	}
}

func (l *lane[U]) done(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fails = 0
	l.of.cfg.Counters.Acknowledged.Add(int64(n))
	l.of.pending.add(-n)
}

// pause puts the updates back in front and waits before the next attempt. They stop counting as on their way only after
// the next attempt is scheduled, because from then on a test may move the clock.
func (l *lane[U]) pause(p parcel[U], epoch int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.of.pending.add(-len(p.updates))
	if epoch != l.epoch {
		return
	}
	l.fails++
	l.of.cfg.Counters.Retried.Add(1)
	l.of.cfg.After(l.of.backoff(l.fails, maxPause), func(time.Time) { l.resume(epoch) })
	l.count(-l.waiting())
	l.paused = true
	l.again = append([]parcel[U]{p}, l.again...)
}

func (l *lane[U]) resume(epoch int) {
	l.mu.Lock()
	if epoch == l.epoch && l.paused {
		l.paused = false
		l.count(l.waiting())
	}
	l.mu.Unlock()
	l.poke()
}

// later schedules another attempt of a request, or gives it up if it is too old.
func (l *lane[U]) later(p parcel[U], epoch int) {
	now := l.of.cfg.Now()
	if p.attempts++; p.first.IsZero() {
		p.first = now
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.of.pending.add(-len(p.updates))
	l.fails = 0
	if epoch != l.epoch {
		return
	}
	if now.Sub(p.first) > giveUpAfter {
		l.of.cfg.Counters.Lost.Add(int64(len(p.updates)))
		return
	}
	l.putOff += len(p.updates)
	l.of.cfg.Counters.Retried.Add(1)
	l.of.cfg.After(l.of.backoff(p.attempts, maxRetryDelay), func(time.Time) { l.retry(p, epoch) })
}

func (l *lane[U]) retry(p parcel[U], epoch int) {
	l.mu.Lock()
	if epoch == l.epoch {
		l.putOff -= len(p.updates)
		l.again = append(l.again, p)
		l.count(len(p.updates))
	}
	l.mu.Unlock()
	l.poke()
}
