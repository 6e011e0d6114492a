// Package delivery posts updates to the addresses that want them: in parallel, in order for each key, and again if an
// address does not accept them.
package delivery

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Config configures a queue.
type Config[U any] struct {
	Lanes     int // per address
	MaxQueued int // per address; above it the oldest are dropped
	// Post sends a batch to an address. reached is false if there was no answer at all.
	Post func(ctx context.Context, url string, batch []U) (reached, accepted bool)
	// BatchSize is the most updates per request, Hold how long the first waits for others, and Retry how long to wait
	// before the first retry.
	BatchSize   func() int
	Hold, Retry func() time.Duration
	Now         func() time.Time
	After       func(d time.Duration, run func(at time.Time))
	Counters    Counters
}

// Counters count updates; Retried counts requests.
type Counters struct{ Queued, Acknowledged, Retried, Dropped, Lost *atomic.Int64 }

// Queue holds the updates that are on their way.
type Queue[U any] struct {
	cfg Config[U]

	mu    sync.RWMutex
	dests map[string]lanes[U]
	ctx   context.Context // nil until started
	group *sync.WaitGroup

	pending pendingCount
}

// lanes post to one address in parallel.
type lanes[U any] []*lane[U]

// New makes a queue. Added updates wait for Start.
func New[U any](cfg Config[U]) *Queue[U] {
	return &Queue[U]{cfg: cfg, dests: map[string]lanes[U]{}}
}

// Start posts until ctx ends, in goroutines of the group.
func (q *Queue[U]) Start(ctx context.Context, group *sync.WaitGroup) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ctx, q.group = ctx, group
	for _, all := range q.dests {
		q.run(all)
	}
}

func (q *Queue[U]) run(all lanes[U]) {
	for _, l := range all {
		q.group.Go(func() { l.loop(q.ctx) })
	}
}

// to finds or makes the lanes of an address.
func (q *Queue[U]) to(url string) lanes[U] {
	q.mu.RLock()
	found := q.dests[url]
	q.mu.RUnlock()
	if found != nil {
		return found
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if found = q.dests[url]; found != nil {
		return found
	}
	made := make(lanes[U], q.cfg.Lanes)
	for i := range made {
		made[i] = newLane(q, url, max(1, q.cfg.MaxQueued/len(made)))
	}
	q.dests[url] = made
	if q.ctx != nil && q.ctx.Err() == nil {
		q.run(made)
	}
	return made
}

// Add queues an update for an address. Updates with one key stay in order.
func (q *Queue[U]) Add(url string, key uint64, u U) {
	all := q.to(url)
	q.cfg.Counters.Queued.Add(1)
	all[key%uint64(len(all))].add(u)
}

// Clear drops the waiting updates.
func (q *Queue[U]) Clear() {
	q.mu.RLock()
	defer q.mu.RUnlock()
	for _, all := range q.dests {
		for _, l := range all {
			l.clear()
		}
	}
}

// Waiting is how many updates were not acknowledged.
func (q *Queue[U]) Waiting() int {
	q.mu.RLock()
	defer q.mu.RUnlock()
	n := 0
	for _, all := range q.dests {
		for _, l := range all {
			n += l.size()
		}
	}
	return n
}

// Quiet waits until every update has been answered or postponed.
func (q *Queue[U]) Quiet(ctx context.Context) error {
	select {
	case <-q.pending.zero():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// pendingCount counts updates on their way and signals when there are none.
type pendingCount struct {
	mu   sync.Mutex
	n    int
	idle chan struct{} // closed when n falls to zero; nil while nobody waits
}

func (p *pendingCount) add(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n += n
	if p.n == 0 && p.idle != nil {
		close(p.idle)
		p.idle = nil
	}
}

func (p *pendingCount) zero() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.n == 0 {
		done := make(chan struct{})
		close(done)
		return done
	}
	if p.idle == nil {
		p.idle = make(chan struct{})
	}
	return p.idle
}

const (
	maxRetryDelay = 5 * time.Minute
	maxPause      = 10 * time.Second
	minRetryDelay = 50 * time.Millisecond // an immediate retry would spin
	giveUpAfter   = 36 * time.Hour
)

// backoff doubles with each attempt.
func (q *Queue[U]) backoff(attempt int, limit time.Duration) time.Duration {
	d := max(q.cfg.Retry(), minRetryDelay)
	for range attempt - 1 {
		if d *= 2; d >= limit {
			return limit
		}
	}
	return d
}
