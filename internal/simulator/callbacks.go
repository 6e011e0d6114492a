package simulator

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/parleyhq/parley/internal/simulator/names"
)

// callbacks takes updates to the addresses that want them.
type callbacks struct {
	sim *Simulator
	app atomic.Pointer[subscription]

	mu    sync.RWMutex
	dests map[string]*destination
	ctx   context.Context // nil until started
	group *sync.WaitGroup

	pending pendingCount
}

// subscription is the app's own callback.
type subscription struct {
	url         string
	verifyToken string
	fields      map[string]bool // nil: all
}

// destination is an address, with lanes that post to it side by side.
type destination struct {
	url   string
	lanes []*lane
}

func newCallbacks(s *Simulator) *callbacks {
	c := &callbacks{sim: s, dests: map[string]*destination{}}
	c.app.Store(&subscription{url: s.cfg.CallbackURL, verifyToken: s.cfg.VerifyToken})
	return c
}

func (c *callbacks) start(ctx context.Context, group *sync.WaitGroup) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ctx, c.group = ctx, group
	for _, d := range c.dests {
		c.run(d)
	}
}

func (c *callbacks) run(d *destination) {
	for _, l := range d.lanes {
		c.group.Go(func() { l.loop(c.ctx) })
	}
}

// to finds or makes a destination.
func (c *callbacks) to(url string) *destination {
	c.mu.RLock()
	d := c.dests[url]
	c.mu.RUnlock()
	if d != nil {
		return d
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if d = c.dests[url]; d != nil {
		return d
	}
	d = &destination{url: url}
	lanes := c.sim.cfg.CallbackLanes
	for range lanes {
		d.lanes = append(d.lanes, newLane(c, url, max(1, c.sim.cfg.MaxQueued/lanes)))
	}
	c.dests[url] = d
	if c.ctx != nil && c.ctx.Err() == nil {
		c.run(d)
	}
	return d
}

// about queues an update that concerns a number. What concerns the same person stays in order.
func (c *callbacks) about(n *number, person string, u update) {
	w := n.waba.Load()
	n.mu.Lock()
	url := n.overrideURL
	n.mu.Unlock()
	c.put(w, url, names.HashString(n.id)^names.HashString(person), u)
}

// aboutAccount queues an update that concerns an account.
func (c *callbacks) aboutAccount(w *waba, u update) {
	u.timed = true
	c.put(w, "", names.HashString(w.id), u)
}

func (c *callbacks) put(w *waba, url string, key uint64, u update) {
	app := c.app.Load()
	w.mu.Lock()
	subscribed := w.subscribed
	if url == "" {
		url = w.overrideURL
	}
	w.mu.Unlock()
	if url == "" {
		url = app.url
	}
	u.entry = w.id
	if subscribed && app.wants(u.changeField()) {
		c.enqueue(url, key, u)
	}
}

// toApp queues an update for the app itself, whatever its accounts subscribed to.
func (c *callbacks) toApp(u update) {
	u.timed, u.entry = true, c.sim.cfg.BusinessID
	c.enqueue(c.app.Load().url, 0, u)
}

func (c *callbacks) enqueue(url string, key uint64, u update) {
	if url == "" {
		return
	}
	d := c.to(url)
	c.sim.counters.queued.Add(1)
	d.lanes[key%uint64(len(d.lanes))].add(u)
}

func (a *subscription) wants(field string) bool { return a.fields == nil || a.fields[field] }

// reset drops what is waiting.
func (c *callbacks) Reset() {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, d := range c.dests {
		for _, l := range d.lanes {
			l.clear()
		}
	}
	c.app.Store(&subscription{url: c.sim.cfg.CallbackURL, verifyToken: c.sim.cfg.VerifyToken})
}

func (c *callbacks) waiting() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	n := 0
	for _, d := range c.dests {
		for _, l := range d.lanes {
			n += l.size()
		}
	}
	return n
}

// quiet waits until every update has been answered, or put off until later.
func (c *callbacks) quiet(ctx context.Context) error {
	select {
	case <-c.pending.zero():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// pendingCount counts updates on their way and tells when there are none.
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
	minRetryDelay = 50 * time.Millisecond // a retry at once would spin
	giveUpAfter   = 36 * time.Hour
)

// backoff doubles with each attempt.
func (c *callbacks) backoff(attempt int, limit time.Duration) time.Duration {
	d := max(c.sim.plans.Load().delays.Retry, minRetryDelay)
	for range attempt - 1 {
		if d *= 2; d >= limit {
			return limit
		}
	}
	return d
}
