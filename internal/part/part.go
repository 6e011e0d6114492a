// Package part is the contract of everything that works beside the requests: workers, recorders, listeners. The
// server holds a list of them and knows nothing else of how they live.
package part

import (
	"context"
	"slices"
)

// Part works from Start to Stop. Each is called once; Stop may be called again, and does nothing then.
type Part interface {
	// Start begins the work, with what an earlier process left. ctx is for the beginning alone.
	Start(ctx context.Context) error
	// Stop takes nothing new and drains: what is under way may end until ctx does. What is not finished by then
	// stays in the store, and is done after another start.
	Stop(ctx context.Context)
}

// A Sweeper finds its work by itself: Sweep does once what is due now.
type Sweeper interface {
	Sweep(ctx context.Context) error
}

// A Waker looks for work without waiting for its next sweep.
type Waker interface {
	Wake()
}

// A Drainer holds requests that wait for something to happen, and lets them go when it is told that the node stops:
// they would keep it from doing so.
type Drainer interface {
	Drain()
}

// List is parts that were started, each on those before it.
type List []Part

// Start starts parts one after the other. The one that fails is not on the list.
func (l *List) Start(ctx context.Context, parts ...Part) error {
	for _, p := range parts {
		if err := p.Start(ctx); err != nil {
			return err
		}
		*l = append(*l, p)
	}
	return nil
}

// Drain lets the requests go that wait at parts.
func (l List) Drain() {
	for _, p := range l {
		if d, ok := p.(Drainer); ok {
			d.Drain()
		}
	}
}

// Stop stops the parts, the last one first, so that none loses what it stands on.
func (l List) Stop(ctx context.Context) {
	for _, p := range slices.Backward(l) {
		p.Stop(ctx)
	}
}
