package part

import (
	"context"
	"sync"
	"time"
)

// Life is the common base of most parts: goroutines that run under one context until Stop. A part embeds it.
type Life struct {
	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup
}

// NewLife makes a life that has not ended. Nothing runs in it yet.
func NewLife() Life {
	ctx, cancel := context.WithCancel(context.Background())
	return Life{ctx: ctx, cancel: cancel}
}

// Context is cancelled when the part is stopped.
func (l *Life) Context() context.Context { return l.ctx }

// Ended reports whether the part was stopped. Failures after that are expected.
func (l *Life) Ended() bool { return l.ctx.Err() != nil }

// Go runs a function for which Stop waits.
func (l *Life) Go(run func(ctx context.Context)) {
	l.work.Go(func() { run(l.ctx) })
}

// End cancels the work, without waiting for it.
func (l *Life) End() { l.cancel() }

// Stop cancels the work, and waits for it until ctx ends.
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

// Every calls do at once, then at each tick and each ring, until the part is stopped. bell may be nil.
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

// SweepEvery calls Sweep at once, then at each tick and each ring, and reports each result unless the part was
// stopped.
func (l *Life) SweepEvery(interval time.Duration, bell Bell, s Sweeper, report func(error)) {
	l.Every(interval, bell, func(ctx context.Context) {
		if err := s.Sweep(ctx); ctx.Err() == nil {
			report(err)
		}
	})
}

// Bell wakes a loop. Several rings that were not heard yet count as one.
type Bell chan struct{}

// NewBell makes a bell that was not rung.
func NewBell() Bell { return make(Bell, 1) }

// Wake rings the bell. It does not block.
func (b Bell) Wake() {
	select {
	case b <- struct{}{}:
	default:
	}
}
