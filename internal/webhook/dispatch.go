package webhook

import (
	"container/heap"
	"time"

	"github.com/parleyhq/parley/internal/store"
)

// share is what an organization has of what is bounded for all.
type share struct {
	inFlight   int
	unrecorded int
}

// ready puts a lane among those that can go, each of which is there once.
func (e *Engine) ready(l *lane) {
	if !l.seat.ring {
		l.seat.ring = true
		e.ring.Add(l.orgID, l)
	}
}

// consider decides what a lane waits for, after anything about it has changed.
func (e *Engine) consider(l *lane, now store.Moment) {
	l.usedAt = now
	l.ripen(now, e.forget)
	if l.readyCount() > 0 && l.open(now) {
		e.ready(l)
	}
	if e.needsStore(l) {
		e.addChore(l)
	}
	e.setAlarm(l, l.nextTime(now))
}

func (e *Engine) needsStore(l *lane) bool {
	switch {
	case l.seat.chores || e.closed || e.lapsed:
		return false
	default:
		return !l.current() || l.wantsRefill()
	}
}

func (e *Engine) addChore(l *lane) {
	l.seat.chores = true
	e.chores.Add(l.orgID, l)
	e.tending.Signal()
}

// dispatch lets jobs leave while there is room. Organizations take turns, and so do the lanes of each. No more begin at
// once than the processors can make a beginning with: what waits here waits in its turn, and what has begun would wait
// with everything else that the program does.
func (e *Engine) dispatch(now store.Moment) {
	if e.closed || e.lapse() {
		return
	}
	for e.inFlight < maxInFlight && e.starting < maxStarting && e.unrecorded < maxUnrecorded {
		l := e.nextLane()
		if l == nil {
			return
		}
		e.start(l, now)
	}
}

// nextLane is a lane of the next organization that has less than its share, or, if none of those has anything to do, of
// the next one.
func (e *Engine) nextLane() *lane {
	for _, most := range []int{orgShare, orgAlone} {
		_, lanes := e.ring.Next(1, func(orgID string) bool {
			s := e.share(orgID)
			return s.inFlight < most && s.unrecorded < orgUnrecorded
		})
		if len(lanes) > 0 {
			lanes[0].seat.ring = false
			return lanes[0]
		}
	}
	return nil
}

// start lets the lane's next job leave.
func (e *Engine) start(l *lane, now store.Moment) {
	j := l.take(now)
	if j == nil {
		return // it waits for a subject, or time has passed: whatever it is calls consider
	}
	e.inFlight++
	e.starting++
	s := e.share(l.orgID)
	s.inFlight++
	e.orgs[l.orgID] = s
	endpoint := l.endpoint
	e.work.Go(func() { e.attempt(j, endpoint) })
	e.consider(l, now)
}

// begun counts an attempt that the other side has to go on with, or that cannot go on at once.
func (e *Engine) begun() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.starting--
	e.dispatch(e.cfg.Store.Moment())
}

// share is what an organization has; one that has nothing is not kept.
func (e *Engine) share(orgID string) share { return e.orgs[orgID] }

// freed gives a slot back. With ended set the attempt's outcome waits to be recorded.
func (e *Engine) freed(orgID string, ended bool) {
	s := e.share(orgID)
	e.inFlight--
	s.inFlight--
	if ended {
		e.unrecorded++
		s.unrecorded++
	}
	e.keep(orgID, s)
}

func (e *Engine) keep(orgID string, s share) {
	if s == (share{}) {
		delete(e.orgs, orgID)
		return
	}
	e.orgs[orgID] = s
}

// leased tells whether the lease outlasts an attempt that begins now.
func (e *Engine) leased() bool { return e.cfg.Lease().Holds(e.cfg.Store.Moment(), e.cfg.Timeout) }

// lapse stops everything when the node's lease may run out before an attempt ends: others will take
// the deliveries that are in memory here, and ask the same endpoints.
func (e *Engine) lapse() bool {
	if e.leased() && e.cfg.Lease().Node == e.node {
		return e.lapsed
	}
	if !e.lapsed {
		e.lapsed = true
		e.cfg.Log.Warn("this node has not been able to say that it is alive; deliveries are left to others until it is")
		for _, l := range e.lanes {
			l.flush(e.forget)
		}
	}
	return true
}

// setAlarm says when time alone lets a lane go on; never, if zero.
func (e *Engine) setAlarm(l *lane, at store.Moment) {
	l.seat.wakeAt = at
	switch {
	case at.IsZero() && l.seat.index >= 0:
		heap.Remove(&e.sleeping, l.seat.index)
	case at.IsZero():
	case l.seat.index >= 0:
		heap.Fix(&e.sleeping, l.seat.index)
	default:
		heap.Push(&e.sleeping, l)
	}
	if !at.IsZero() && l.seat.index == 0 {
		e.alarm.Wake()
	}
}

// sleep wakes lanes when their time has come.
func (e *Engine) sleep() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-e.alarm:
		case <-e.ctx.Done():
			return
		}
		timer.Reset(e.wakeLanes())
	}
}

// wakeLanes wakes those whose time has come, and returns how long until the next one's has.
func (e *Engine) wakeLanes() time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.cfg.Store.Moment()
	for len(e.sleeping) > 0 && !e.sleeping[0].seat.wakeAt.After(now) {
		l := e.sleeping[0]
		heap.Pop(&e.sleeping)
		e.consider(l, now)
	}
	e.dispatch(now)
	if len(e.sleeping) == 0 {
		return sweepEvery
	}
	return min(e.sleeping[0].seat.wakeAt.Sub(now), sweepEvery)
}

// laneHeap orders sleeping lanes by when they wake.
type laneHeap []*lane

func (h laneHeap) Len() int           { return len(h) }
func (h laneHeap) Less(i, j int) bool { return h[i].seat.wakeAt.Before(h[j].seat.wakeAt) }

func (h laneHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].seat.index, h[j].seat.index = i, j
}

func (h *laneHeap) Push(x any) {
	l := x.(*lane)
	l.seat.index = len(*h)
	*h = append(*h, l)
}

func (h *laneHeap) Pop() any {
	last := len(*h) - 1
	l := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	l.seat.index = -1
	return l
}
