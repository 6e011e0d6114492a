package part

import (
	"context"
	"sync"
	"time"
)

// Life is what most parts have in common: goroutines that run under one context until Stop. A part embeds it.
type Life struct {
	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup
}

// NewLife is a life that has not ended. Nothing runs in it yet.
func NewLife() Life {
	ctx, cancel := context.WithCancel(context.Background())
	return Life{ctx: ctx, cancel: cancel}
}

// Context ends when the part is stopped.
func (l *Life) Context() context.Context { return l.ctx }

// Ended tells whether the part was stopped: what fails then is no trouble.
func (l *Life) Ended() bool { return l.ctx.Err() != nil }

// Go runs something that Stop waits for.
func (l *Life) Go(run func(ctx context.Context)) {
	l.work.Go(func() { run(l.ctx) })
}

// End has the work end, and does not wait for it.
func (l *Life) End() { l.cancel() }

// Stop cuts the work off where it can be, and waits for the rest until ctx ends.
func (l *Life) Stop(ctx context.Context) {
	l.cancel()
	done := make(chan struct{})
	go func() {
		l.work.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// Every does something at once, then at each tick and each ring, until the part is stopped. bell may be nil.
func (l *Life) Every(interval time.Duration, bell Bell, do func(ctx context.Context)) {
	l.Go(func(ctx context.Context) {
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for ctx.Err() == nil {
			do(ctx)
			select {
			case <-tick.C:
			case <-bell:
			case <-ctx.Done():
			}
		}
	})
}

// SweepEvery has a part sweep at once, at each tick and each ring, and report what goes wrong unless it was stopped.
func (l *Life) SweepEvery(interval time.Duration, bell Bell, s Sweeper, report func(error)) {
	l.Every(interval, bell, func(ctx context.Context) {
		if err := s.Sweep(ctx); ctx.Err() == nil {
			report(err)
		}
	})
}

// Bell wakes a loop. Rings that nobody has heard yet are one.
type Bell chan struct{}

// NewBell is a bell that was not rung.
func NewBell() Bell { return make(Bell, 1) }

// Wake rings it. It does not wait.
func (b Bell) Wake() {
	select {
	case b <- struct{}{}:
	default:
	}
}
