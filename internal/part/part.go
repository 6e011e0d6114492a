// Package part is the contract of everything that works beside the requests: workers, recorders, listeners. The server
// has a list of them, and knows nothing else about how they start and stop.
package part

import (
	"context"
	"slices"
)

// Part works from Start to Stop. Each is called once; calling Stop again does nothing.
type Part interface {
	// Start starts the work, beginning with what an earlier process left. ctx is only for the start itself.
	Start(ctx context.Context) error
	// Stop accepts no new work and drains: running work may finish until ctx ends. Unfinished work stays in the store,
	// and is done after the next start.
	Stop(ctx context.Context)
}

// A Sweeper finds its own work: Sweep does what is due now, once.
type Sweeper interface {
	Sweep(ctx context.Context) error
}

// A Waker looks for work at once, without waiting for its next sweep.
type Waker interface {
	Wake()
}

// A Drainer holds requests that wait for something to happen. It releases them when the node stops, because they would
// delay the stop.
type Drainer interface {
	Drain()
}

// List is the started parts. Each may depend on the ones before it.
type List []Part

// Start starts parts one after the other. A part that fails to start is not added to the list.
func (l *List) Start(ctx context.Context, parts ...Part) error {
	for _, p := range parts {
		if err := p.Start(ctx); err != nil {
			return err
		}
		*l = append(*l, p)
	}
	return nil
}

// Drain releases the requests that wait at the parts.
func (l List) Drain() {
	for _, p := range l {
		if d, ok := p.(Drainer); ok {
			d.Drain()
		}
	}
}

// Stop stops the parts, the last one first, so that no part loses another that it depends on.
func (l List) Stop(ctx context.Context) {
	for _, p := range slices.Backward(l) {
		p.Stop(ctx)
	}
}
