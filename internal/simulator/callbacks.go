package simulator

import (
	"sync/atomic"
	"time"

	"github.com/parleyhq/parley/internal/simulator/delivery"
	"github.com/parleyhq/parley/internal/simulator/names"
)

// callbacks sends updates to the addresses that subscribed to them.
type callbacks struct {
	*delivery.Queue[update]
	sim *Simulator
	app atomic.Pointer[subscription]
}

// subscription is the app's own callback.
type subscription struct {
	url    string
	fields map[string]bool // nil means all
}

func newCallbacks(s *Simulator) *callbacks {
	c := &callbacks{sim: s}
	c.Queue = delivery.New(delivery.Config[update]{
		Lanes: s.cfg.CallbackLanes, MaxQueued: s.cfg.MaxQueued, Post: c.post, BatchSize: c.batchSize,
		Hold:  func() time.Duration { return time.Duration(s.faults.Load().HoldCallbacks) },
		Retry: func() time.Duration { return s.plans.Load().delays.Retry },
		Now:   s.now, After: s.sched.after,
		Counters: delivery.Counters{
			Queued: &s.counters.queued, Acknowledged: &s.counters.posted, Retried: &s.counters.retried,
			Dropped: &s.counters.dropped, Lost: &s.counters.lost,
		},
	})
	c.app.Store(&subscription{url: s.cfg.CallbackURL})
	return c
}

// about queues an update about a number. Updates about the same person stay in order.
func (c *callbacks) about(n *number, person string, u update) {
	w := n.waba.Load()
	n.mu.Lock()
	url := n.overrideURL
	n.mu.Unlock()
	c.put(w, url, names.HashString(n.id)^names.HashString(person), u)
}

// aboutAccount queues an update about an account.
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
	u.timed, u.entry = true, appOwner
	c.enqueue(c.app.Load().url, 0, u)
}

func (c *callbacks) enqueue(url string, key uint64, u update) {
	if url != "" {
		c.Add(url, key, u)
	}
}

func (a *subscription) wants(field string) bool { return a.fields == nil || a.fields[field] }

// Reset drops the waiting updates.
func (c *callbacks) Reset() {
	c.Clear()
	c.app.Store(&subscription{url: c.sim.cfg.CallbackURL})
}
