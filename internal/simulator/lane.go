package simulator

import (
	"context"
	"sync"
	"time"
)

// lane posts updates to one address, one request at a time. While a request is under way others
// gather, so under load requests carry many.
//
// An address that cannot be reached pauses the lane, with everything kept in order. An address that
// answers with something else than 200 gets the same request again later, and others meanwhile: one
// update that a receiver cannot digest must not hold up the rest.
type lane struct {
	callbacks *callbacks
	url       string
	limit     int
	wake      chan struct{}

	mu     sync.Mutex
	queue  []update
	head   int      // of queue
	again  []parcel // due for another try
	putOff int      // updates in parcels that wait for their next try
	paused bool
	fails  int // in a row, to reach the address
	epoch  int // grows when the lane is cleared, which voids what waits
}

// parcel is a request that is tried again.
type parcel struct {
	updates  []update
	attempts int
	first    time.Time
}

func newLane(c *callbacks, url string, limit int) *lane {
	return &lane{callbacks: c, url: url, limit: limit, wake: make(chan struct{}, 1)}
}

func (l *lane) add(u update) {
	l.mu.Lock()
	if l.waiting()+l.putOff >= l.limit && l.head < len(l.queue) {
		l.head++ // the oldest goes
		l.callbacks.sim.counters.dropped.Add(1)
		l.count(-1)
	}
	l.hold()
	l.queue = append(l.queue, u)
	l.count(1)
	l.mu.Unlock()
	l.poke()
}

// hold keeps the first update waiting for others, if the faults ask for it.
func (l *lane) hold() {
	s := l.callbacks.sim
	d := time.Duration(s.faults.Load().HoldCallbacks)
	if d <= 0 || l.paused || l.waiting() > 0 {
		return
	}
	l.paused = true
	epoch := l.epoch
	s.sched.after(d, func(time.Time) { l.resume(epoch) })
}

// count tracks what is on its way. A paused lane has nothing on its way.
func (l *lane) count(n int) {
	if !l.paused {
		l.callbacks.pending.add(n)
	}
}

func (l *lane) poke() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *lane) waiting() int {
	n := len(l.queue) - l.head
	for _, p := range l.again {
		n += len(p.updates)
	}
	return n
}

func (l *lane) size() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.waiting() + l.putOff
}

func (l *lane) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count(-l.waiting())
	l.queue, l.head, l.again, l.putOff = nil, 0, nil, 0
	l.paused, l.fails = false, 0
	l.epoch++
}

// take removes the next request's worth of updates, or returns none.
func (l *lane) take(size int) (p parcel, epoch int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.paused {
		return parcel{}, l.epoch
	}
	if len(l.again) > 0 {
		p = l.again[0]
		l.again = l.again[1:]
		return p, l.epoch
	}
	n := min(size, len(l.queue)-l.head)
	if n == 0 {
		return parcel{}, l.epoch
	}
	p.updates = append([]update(nil), l.queue[l.head:l.head+n]...)
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

// pace is the least time between two requests of a lane. It is real time, whatever the clock says:
// a quiet lane posts at once, a busy one gathers instead of spending a core on small requests.
const pace = 5 * time.Millisecond

func (l *lane) loop(ctx context.Context) {
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
		reached, accepted := l.callbacks.post(ctx, l.url, p.updates)
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

// next waits for something to post. It returns nothing when ctx ends.
func (l *lane) next(ctx context.Context) (parcel, int) {
	for {
		if p, epoch := l.take(l.callbacks.batchSize()); len(p.updates) > 0 {
			return p, epoch
		}
		select {
		case <-ctx.Done():
			return parcel{}, 0
		case <-l.wake:
		}
	}
}

func (l *lane) done(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fails = 0
	l.callbacks.sim.counters.posted.Add(int64(n))
	l.callbacks.pending.add(-n)
}

// pause puts the updates back in front and waits before anything else is tried. They stop counting
// as on their way last, when the next try is on the clock: a test moves the clock from then on.
func (l *lane) pause(p parcel, epoch int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.callbacks.pending.add(-len(p.updates))
	if epoch != l.epoch {
		return
	}
	l.fails++
	l.callbacks.sim.counters.retried.Add(1)
	l.callbacks.sim.sched.after(l.callbacks.backoff(l.fails, maxPause), func(time.Time) { l.resume(epoch) })
	l.count(-l.waiting())
	l.paused = true
	l.again = append([]parcel{p}, l.again...)
}

func (l *lane) resume(epoch int) {
	l.mu.Lock()
	if epoch == l.epoch && l.paused {
		l.paused = false
		l.count(l.waiting())
	}
	l.mu.Unlock()
	l.poke()
}

// later puts a request off, or gives it up when it is too old.
func (l *lane) later(p parcel, epoch int) {
	s := l.callbacks.sim
	now := s.now()
	if p.attempts++; p.first.IsZero() {
		p.first = now
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.callbacks.pending.add(-len(p.updates))
	l.fails = 0
	if epoch != l.epoch {
		return
	}
	if now.Sub(p.first) > giveUpAfter {
		s.counters.lost.Add(int64(len(p.updates)))
		return
	}
	l.putOff += len(p.updates)
	s.counters.retried.Add(1)
	s.sched.after(l.callbacks.backoff(p.attempts, maxRetryDelay), func(time.Time) { l.retry(p, epoch) })
}

func (l *lane) retry(p parcel, epoch int) {
	l.mu.Lock()
	if epoch == l.epoch {
		l.putOff -= len(p.updates)
		l.again = append(l.again, p)
		l.count(len(p.updates))
	}
	l.mu.Unlock()
	l.poke()
}
