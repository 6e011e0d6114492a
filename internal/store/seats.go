package store

import (
	"context"
	"sync"
	"time"

	"github.com/parleyhq/parley/internal/fair"
)

// seatsKept is how many seats the program's own reads leave to organizations. One organization leaves as many or more.
const seatsKept = 2

// seats are places for reads outside of transactions. A reader has a connection while it has a seat.
//
// Those who wait take turns by the time for which they had seats. A statement that runs cannot be interrupted, so turns
// alone would let whoever comes first keep the others out for as long as its longest statements take. Therefore nobody gets
// so many that none is left (see may).
type seats struct {
	size int

	mu      sync.Mutex
	taken   int
	has     map[Turn]int // taken seats; no entry: none
	waiting *fair.Turns[Turn, *reader]
	closed  bool
	back    sync.Cond // one was left after the closing
}

// reader waits for a seat.
type reader struct {
	answered chan struct{} // closed when it may have one, or never will: then err is set
	err      error
	gone     bool // it no longer waits
}

// newSeats returns so many seats, which are more than seatsKept.
func newSeats(size int) *seats {
	s := &seats{size: size, has: map[Turn]int{}, waiting: fair.NewTurns[Turn, *reader]()}
	s.back.L = &s.mu
	return s
}

// enter waits until turn may have a seat. It fails if ctx ends or the seats are closed first.
func (s *seats) enter(ctx context.Context, turn Turn) error {
	s.mu.Lock()
	switch {
	case s.closed:
		s.mu.Unlock()
		return ErrClosed
	case s.may(turn): // so nobody of the same turn waits
		s.admit(turn)
		s.mu.Unlock()
		return nil
	}
	r := &reader{answered: make(chan struct{})}
	s.waiting.Add(turn, r)
	s.mu.Unlock()
	select {
	case <-r.answered:
		return r.err
	case <-ctx.Done():
		return s.giveUp(ctx, r)
	}
}

// may reports whether turn gets a free seat, if there is one. What an organization has is at most twice what it leaves free,
// so there is one for the next, who leaves one too. The last one is for the program's own reads, which are short: nobody is
// authenticated without them.
func (s *seats) may(turn Turn) bool {
	free := s.size - s.taken
	if turn.OrgID == "" {
		return free > 0 && s.has[turn] < s.size-seatsKept
	}
	return s.has[turn] < 2*(free-1)
}

func (s *seats) admit(turn Turn) {
	s.taken++
	s.has[turn]++
}

// giveUp ends a wait, unless the reader has just been answered.
func (s *seats) giveUp(ctx context.Context, r *reader) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-r.answered:
		return r.err
	default:
		r.gone = true
		return ctx.Err()
	}
}

// leave gives a seat back, and admits all who may now have one.
func (s *seats) leave(turn Turn, had time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken--
	if s.has[turn]--; s.has[turn] == 0 {
		delete(s.has, turn)
	}
	s.waiting.Charge(turn, had)
	if s.closed {
		s.back.Signal()
	}
	for s.waiting.Len() > 0 {
		next, _, ok := s.waiting.First(s.may)
		if !ok {
			return
		}
		if r := s.waiting.TakeOf(next); !r.gone {
			s.admit(next)
			close(r.answered)
		}
	}
}

// close sends those away who wait, and waits for those who have a seat. Nobody gets one any more.
func (s *seats) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, r, ok := s.waiting.Take(); ok; _, r, ok = s.waiting.Take() {
		r.err = ErrClosed
		close(r.answered)
	}
	for s.taken > 0 {
		s.back.Wait()
	}
}
