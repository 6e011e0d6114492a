package store

import (
	"context"
	"sync/atomic"
	"time"
)

// asidePatience is how long work that can wait does so at most, if what it waits for takes long.
const asidePatience = 250 * time.Millisecond

// aside lets work that nobody waits for happen one piece after another, so that it takes one processor at a time and
// leaves the others to people's requests.
type aside struct {
	until atomic.Int64 // until which moment
	turn  chan struct{}
}

func newAside() aside { return aside{turn: make(chan struct{}, 1)} }

// Spare has work that is done aside happen one piece after another for a while.
func (s *Store) Spare(d time.Duration) { s.aside.until.Store(int64(s.Moment().Add(d))) }

// Aside does work that can wait a little.
func (s *Store) Aside(ctx context.Context, work func() error) error {
	if Moment(s.aside.until.Load()).After(s.Moment()) && s.aside.enter(ctx) {
		defer s.aside.leave()
	}
	return work()
}

// enter waits for the turn. It returns false if that takes too long, and the work goes on without one.
func (a *aside) enter(ctx context.Context) bool {
	patience := time.NewTimer(asidePatience)
	defer patience.Stop()
	select {
	case a.turn <- struct{}{}:
		return true
	case <-patience.C:
	case <-ctx.Done():
	}
	return false
}

func (a *aside) leave() { <-a.turn }
