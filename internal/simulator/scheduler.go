package simulator

import (
	"context"
	"sync"
	"time"
)

// event is something due at a time: a step of a message's plan, or any function. Steps are plain values because each
// message of a load test has several.
type event struct {
	at   int64 // unix nanoseconds
	seq  uint64
	msg  *message
	step int
	run  func(at time.Time)
}

func (e event) before(f event) bool { return e.at < f.at || e.at == f.at && e.seq < f.seq }

// scheduler is a heap of events. Events of the same instant run in the order they were added.
type scheduler struct {
	now  func() time.Time
	wake chan struct{}

	mu   sync.Mutex
	heap []event
	seq  uint64

	running sync.Mutex // held while events run, so that they run one at a time
}

func newScheduler(now func() time.Time) *scheduler {
	return &scheduler{now: now, wake: make(chan struct{}, 1)}
}

func (s *scheduler) after(d time.Duration, run func(at time.Time)) {
	s.push(event{at: s.now().Add(d).UnixNano(), run: run})
}

func (s *scheduler) push(e event) {
	s.mu.Lock()
	s.seq++
	e.seq = s.seq
	s.heap = append(s.heap, e)
	i := len(s.heap) - 1
	for i > 0 && s.heap[i].before(s.heap[(i-1)/2]) {
		s.heap[i], s.heap[(i-1)/2] = s.heap[(i-1)/2], s.heap[i]
		i = (i - 1) / 2
	}
	first := i == 0
	s.mu.Unlock()
	if first {
		s.poke()
	}
}

// poke makes the worker check the clock again.
func (s *scheduler) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *scheduler) pop() event {
	h := s.heap
	top, last := h[0], len(h)-1
	h[0] = h[last]
	h[last] = event{} // releases the message for the garbage collector
	h = h[:last]
	for i := 0; ; {
		least, left, right := i, 2*i+1, 2*i+2
		if left < last && h[left].before(h[least]) {
			least = left
		}
		if right < last && h[right].before(h[least]) {
			least = right
		}
		if least == i {
			break
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
	s.heap = h
	return top
}

// takeDue removes the next event if it is due. Otherwise it returns when the event is due.
func (s *scheduler) takeDue() (e event, due bool, next int64) {
	now := s.now().UnixNano()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.heap) == 0 {
		return event{}, false, 0
	}
	if at := s.heap[0].at; at > now {
		return event{}, false, at
	}
	return s.pop(), true, 0
}

// runDue runs the due events until none is left, and returns the time of the next event or 0. Events run one by one in
// the order of their times, because an event may add another that comes before the rest. That matters when a test moves
// the clock far.
func (s *scheduler) runDue(handle func(event)) (next int64) {
	s.running.Lock()
	defer s.running.Unlock()
	for {
		e, due, next := s.takeDue()
		if !due {
			return next
		}
		handle(e)
	}
}

// loop runs events when they are due. The timer is real even if the clock is not: with a clock that a test holds still,
// it only checks again.
func (s *scheduler) loop(ctx context.Context, handle func(event)) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		next := s.runDue(handle)
		wait := time.Hour
		if next != 0 {
			wait = max(time.Duration(next-s.now().UnixNano()), time.Millisecond)
		}
		timer.Reset(wait)
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-s.wake:
		}
	}
}

func (s *scheduler) waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.heap)
}

func (s *scheduler) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heap = nil
}

// sleep waits on the simulator's clock, or until ctx ends.
func (s *scheduler) sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	done := make(chan struct{})
	s.after(d, func(time.Time) { close(done) })
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
