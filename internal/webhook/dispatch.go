package webhook

import (
	"container/heap"
	"time"

	"github.com/parleyhq/parley/internal/store"
)

// share is an organization's use of the resources that are limited for all.
type share struct {
	inFlight   int
	unrecorded int
}

// ready adds a lane to the lanes that can go, unless it is among them already.
func (e *Engine) ready(l *lane) {
	if !l.seat.ring {
		l.seat.ring = true
		e.ring.Add(l.orgID, l)
	}
}

// consider decides what a lane waits for. It is called after every change of the lane.
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
		return !l.current() || l.doubted || l.wantsRefill()
	}
}

func (e *Engine) addChore(l *lane) {
	l.seat.chores = true
	e.chores.Add(l.orgID, l)
	e.tending.Signal()
}

// dispatch lets jobs leave while there is room. Organizations take turns, and so do the lanes of each. Only as many
// jobs start at once as the processors can handle: a job that waits here waits in its turn, but once started it would
// compete with everything else in the process.
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

// nextLane is a lane of the next organization that has less than its share. If no such organization has a lane that can
// go, it is a lane of the next organization.
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
		return // its jobs wait for a subject, or it may not go any more: the change that lets it go calls consider
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

// begun counts an attempt as started: its request is written, startTime has passed, or it has ended.
func (e *Engine) begun() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.starting--
	e.dispatch(e.cfg.Store.Moment())
}

// share is an organization's use; an organization that uses nothing is not in the map.
func (e *Engine) share(orgID string) share { return e.orgs[orgID] }

// freed gives a slot back. If ended is set, the attempt's outcome waits to be recorded.
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

// leased tells whether the lease lasts longer than an attempt that begins now.
func (e *Engine) leased() bool { return e.cfg.Lease().Holds(e.cfg.Store.Moment(), e.cfg.Timeout) }

// lapse stops everything if the node's lease may run out before an attempt ends. Other nodes will then take the
// deliveries that are in memory here, and call the same endpoints.
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

// setAlarm sets when the passing of time alone lets a lane continue; zero means never.
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

// sleep wakes each lane at its time.
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

// wakeLanes wakes the lanes whose time has come, and returns how long to wait for the next one.
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
