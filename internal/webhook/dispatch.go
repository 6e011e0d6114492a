package webhook

import (
	"container/heap"
	"time"

	"github.com/parleyhq/parley/internal/store"
)

// share is what an organization has of the attempts under way.
type share struct {
	inFlight int
	benched  []*lane // could go, but others wait
	listed   bool
}

// ring is the lanes that can go, each once, in turn.
type ring struct {
	lanes []*lane
	head  int
}

func (r *ring) push(l *lane) {
	if l.queued || l.benched {
		return
	}
	l.queued = true
	if r.head > 0 && len(r.lanes) == cap(r.lanes) {
		n := copy(r.lanes, r.lanes[r.head:])
		clear(r.lanes[n:])
		r.lanes, r.head = r.lanes[:n], 0
	}
	r.lanes = append(r.lanes, l)
}

func (r *ring) pop() *lane {
	if r.head == len(r.lanes) {
		r.lanes, r.head = r.lanes[:0], 0
		return nil
	}
	l := r.lanes[r.head]
	r.lanes[r.head] = nil
	r.head++
	l.queued = false
	return l
}

// consider decides what a lane waits for, after anything about it has changed.
func (e *Engine) consider(l *lane, now store.Moment) {
	l.usedAt = now
	l.ripen(now, e.forget)
	if l.readyCount() > 0 && l.open(now) {
		e.ring.push(l)
	}
	if e.needsStore(l) {
		e.addChore(l)
	}
	e.setAlarm(l, l.nextTime(now))
}

func (e *Engine) needsStore(l *lane) bool {
	switch {
	case l.chore || e.closed || e.lapsed:
		return false
	case l.endpoint == nil || l.stale:
		return true
	default:
		return l.more && !l.parked && !l.starved && l.readyCount() <= refillAt
	}
}

func (e *Engine) addChore(l *lane) {
	l.chore = true
	e.chores = append(e.chores, l)
	e.tending.Signal()
}

// dispatch lets jobs leave, one lane after the other, while there is room.
func (e *Engine) dispatch(now store.Moment) {
	if e.closed || e.lapse() {
		return
	}
	for e.inFlight < maxInFlight && e.unrecorded < maxUnrecorded {
		l := e.ring.pop()
		if l == nil {
			if l = e.unbench(); l == nil {
				return
			}
		} else if s := e.share(l.orgID); s.inFlight >= orgShare {
			e.bench(s, l)
			continue
		}
		e.start(l, now)
	}
}

// start lets the lane's next job leave.
func (e *Engine) start(l *lane, now store.Moment) {
	j := l.take(now)
	if j == nil {
		return // it waits for a subject, or time has passed: whatever it is calls consider
	}
	e.inFlight++
	e.share(l.orgID).inFlight++
	endpoint := l.endpoint
	e.work.Go(func() { e.attempt(j, endpoint) })
	e.consider(l, now)
}

func (e *Engine) share(orgID string) *share {
	s := e.orgs[orgID]
	if s == nil {
		s = &share{}
		e.orgs[orgID] = s
	}
	return s
}

// bench sets a lane aside whose organization has its share, as long as others wait.
func (e *Engine) bench(s *share, l *lane) {
	l.benched = true
	s.benched = append(s.benched, l)
	if !s.listed {
		s.listed = true
		e.benched = append(e.benched, s)
	}
}

// unbench returns a lane that was set aside, when nobody else waits.
func (e *Engine) unbench() *lane {
	for range e.benched {
		s := e.benched[0]
		e.benched = append(e.benched[1:], s) // organizations take turns
		if s.inFlight < orgAlone && len(s.benched) > 0 {
			l := s.benched[0]
			s.benched = s.benched[1:]
			l.benched = false
			return l
		}
	}
	return nil
}

// freed gives a slot back.
func (e *Engine) freed(orgID string) {
	e.inFlight--
	s := e.orgs[orgID]
	s.inFlight--
	if s.inFlight >= orgShare {
		return
	}
	for _, l := range s.benched {
		l.benched = false
		e.ring.push(l)
	}
	s.benched = nil
	if s.listed {
		s.listed = false
		e.benched = remove(e.benched, s)
	}
	if s.inFlight == 0 {
		delete(e.orgs, orgID)
	}
}

func remove(list []*share, s *share) []*share {
	for i := range list {
		if list[i] == s {
			return append(list[:i:i], list[i+1:]...)
		}
	}
	return list
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
	l.wakeAt = at
	switch {
	case at.IsZero() && l.index >= 0:
		heap.Remove(&e.sleeping, l.index)
	case at.IsZero():
	case l.index >= 0:
		heap.Fix(&e.sleeping, l.index)
	default:
		heap.Push(&e.sleeping, l)
	}
	if !at.IsZero() && l.index == 0 {
		poke(e.wake)
	}
}

func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// sleep wakes lanes when their time has come.
func (e *Engine) sleep() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-e.wake:
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
	for len(e.sleeping) > 0 && !e.sleeping[0].wakeAt.After(now) {
		l := e.sleeping[0]
		heap.Pop(&e.sleeping)
		e.consider(l, now)
	}
	e.dispatch(now)
	if len(e.sleeping) == 0 {
		return sweepEvery
	}
	return min(e.sleeping[0].wakeAt.Sub(now), sweepEvery)
}

// laneHeap orders sleeping lanes by when they wake.
type laneHeap []*lane

func (h laneHeap) Len() int           { return len(h) }
func (h laneHeap) Less(i, j int) bool { return h[i].wakeAt.Before(h[j].wakeAt) }

func (h laneHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *laneHeap) Push(x any) {
	l := x.(*lane)
	l.index = len(*h)
	*h = append(*h, l)
}

func (h *laneHeap) Pop() any {
	last := len(*h) - 1
	l := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	l.index = -1
	return l
}
