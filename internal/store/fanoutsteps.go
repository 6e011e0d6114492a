package store

import (
	"context"
	"sync"
)

// fanning is what this process is doing about fan-outs.
type fanning struct {
	mu    sync.Mutex
	gates map[string]*stepGate // by organization
	kept  map[string]bool      // the events whose fan-outs are being finished
}

// stepGate lets one step of an organization run at a time.
type stepGate struct {
	users  int           // that are inside or wait
	inside chan struct{} // has room for one
}

func newFanning() *fanning { return &fanning{gates: map[string]*stepGate{}, kept: map[string]bool{}} }

// enter waits until no other step of the organization runs, or until ctx ends.
func (f *fanning) enter(ctx context.Context, orgID string) error {
	f.mu.Lock()
	g := f.gates[orgID]
	if g == nil {
		g = &stepGate{inside: make(chan struct{}, 1)}
		f.gates[orgID] = g
	}
	g.users++
	f.mu.Unlock()
	select {
	case g.inside <- struct{}{}:
		return nil
	case <-ctx.Done():
		f.forget(orgID, g)
		return ctx.Err()
	}
}

func (f *fanning) leave(orgID string) {
	f.mu.Lock()
	g := f.gates[orgID]
	f.mu.Unlock()
	<-g.inside
	f.forget(orgID, g)
}

// forget counts one user of a gate less.
func (f *fanning) forget(orgID string, g *stepGate) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if g.users--; g.users == 0 {
		delete(f.gates, orgID)
	}
}

// InStep is InTx for a step of an organization's fan-outs: one at a time. So deliveries are handed over in the order in
// which they were written, whoever finds an event's deliveries written knows that they were handed over too, and the
// writer has at most one step of an organization in a commit, however many of its requests have fan-outs.
func (s *Store) InStep(ctx context.Context, orgID string, fn func(*Tx) error) error {
	if err := s.fanning.enter(ctx, orgID); err != nil {
		return err
	}
	defer s.fanning.leave(orgID)
	return s.InTx(ctx, fn)
}

// KeepFanOuts keeps FinishFanOuts from fan-outs that the caller finishes, until release is called.
func (s *Store) KeepFanOuts(fanOuts []FanOut) (release func()) {
	s.fanning.mu.Lock()
	defer s.fanning.mu.Unlock()
	for _, f := range fanOuts {
		s.fanning.kept[f.Event] = true
	}
	return func() {
		s.fanning.mu.Lock()
		defer s.fanning.mu.Unlock()
		for _, f := range fanOuts {
			delete(s.fanning.kept, f.Event)
		}
	}
}

// Kept reports whether somebody in this process finishes the fan-out.
func (s *Store) Kept(f FanOut) bool {
	s.fanning.mu.Lock()
	defer s.fanning.mu.Unlock()
	return s.fanning.kept[f.Event]
}

// Crowded reports whether several organizations write at about the same time, so that a long transaction of one makes
// others wait.
func (s *Store) Crowded() bool {
	e, ok := s.engine.(*sqliteEngine)
	return ok && !e.doors.Alone()
}
