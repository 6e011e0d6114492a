// Package search finds messages, notes and contacts by their texts. An Indexer updates the index in the
// background, so that no send and no callback waits for it. A Searcher asks the index, and shows only the hits
// that still match and that the user may see.
package search

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/parleyhq/parley/internal/logging"
	"github.com/parleyhq/parley/internal/store"
)

const (
	// every is how often the indexer looks for new rows, because other nodes write as well.
	every = 2 * time.Second
	// gather is how long it waits for more rows after a write on this node.
	gather = 200 * time.Millisecond
	// settleEvery and agedEvery are how often it looks for rows that committed late, and for rows that are too
	// old.
	settleEvery = time.Minute
	agedEvery   = 10 * time.Minute
	// batch is the number of rows in a step.
	batch = 100
	// busyRate is the number of changes a second from which the node counts as busy. A busy indexer rests
	// busyRest times as long as it worked, others idleRest times. If it is behind by more than patience, it
	// rests only lateRest times as long, because under lasting load it would never catch up.
	busyRate = 20
	busyRest = 30
	idleRest = 2
	lateRest = 5
	patience = time.Minute
	// longestRest bounds the rest after a step on a slow machine.
	longestRest = 5 * time.Second
)

// Config configures an indexer.
type Config struct {
	Store   *store.Store
	Index   *store.SearchIndex
	Metrics prometheus.Registerer // nil: none
	Log     *slog.Logger
}

// Indexer keeps the index up to date. With several nodes, whichever comes first does each step.
type Indexer struct {
	store   *store.Store
	index   *store.SearchIndex
	log     *slog.Logger
	metrics metrics
	trouble *logging.Episode

	wake    chan struct{}
	changes atomic.Int64 // reported since the last step
	stepped store.Moment // the time of the last step
	lag     time.Duration
	rest    func(context.Context, time.Duration)
	settled store.Moment // when it last looked for late rows
	aged    store.Moment // when it last looked for old rows

	cancel context.CancelFunc
	done   sync.WaitGroup
}

// Start starts indexing, and subscribes to the store's writes.
func Start(cfg Config) *Indexer {
	x := New(cfg)
	x.rest = rest
	x.start()
	return x
}

func (x *Indexer) start() {
	ctx, cancel := context.WithCancel(context.Background())
	x.cancel = cancel
	x.store.HandTo(func(h *store.Hands) {
		others := h.Changed
		h.Changed = func(changes []store.Change) {
			if others != nil {
				others(changes)
			}
			x.changed(len(changes))
		}
	})
	x.done.Go(func() { x.run(ctx) })
}

// New makes an indexer that runs only when Sweep is called, without rests.
func New(cfg Config) *Indexer {
	return &Indexer{
		store: cfg.Store, index: cfg.Index, log: cfg.Log, metrics: newMetrics(cfg.Metrics), wake: make(chan struct{}, 1),
		trouble: logging.NewEpisode(cfg.Log, cfg.Metrics, "search_index",
			"the search index cannot be kept up to date: searches do not find what is new", "the search index is kept up to date again"),
		rest:   func(context.Context, time.Duration) {},
		cancel: func() {},
	}
}

// Stop waits for the step under way.
func (x *Indexer) Stop() {
	x.cancel()
	x.done.Wait()
}

func (x *Indexer) changed(n int) {
	x.changes.Add(int64(n))
	select {
	case x.wake <- struct{}{}:
	default:
	}
}

func (x *Indexer) run(ctx context.Context) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for ctx.Err() == nil {
		err := x.Sweep(ctx)
		if ctx.Err() == nil {
			x.trouble.Report(err)
		}
		select {
		case <-x.wake:
			x.rest(ctx, gather)
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// Sweep brings the index up to date.
func (x *Indexer) Sweep(ctx context.Context) error {
	if err := x.followChanges(ctx); err != nil {
		return err
	}
	if err := x.takeNew(ctx); err != nil {
		return err
	}
	now := x.store.Moment()
	if now.Sub(x.settled) >= settleEvery {
		if err := x.takeLate(ctx); err != nil {
			return err
		}
		x.settled = now
	}
	if now.Sub(x.aged) >= agedEvery {
		if err := x.dropOld(ctx); err != nil {
			return err
		}
		x.aged = now
	}
	return nil
}

// step updates the index, and then rests. It returns false if another node is updating it.
func (x *Indexer) step(ctx context.Context, fn func(store.SearchUpdate) error) (mine bool, err error) {
	begin := x.store.Moment()
	mine, err = x.index.Update(ctx, fn)
	x.rest(ctx, x.due(begin))
	if err == nil {
		err = ctx.Err()
	}
	return mine, err
}

// due is how long to rest after a step: longer while the node is busy.
func (x *Indexer) due(begin store.Moment) time.Duration {
	now := x.store.Moment()
	since := max(now.Sub(x.stepped), time.Millisecond)
	rate := float64(x.changes.Swap(0)) / since.Seconds()
	x.stepped = now
	factor := idleRest
	switch {
	case rate > busyRate && x.lag > patience:
		factor = lateRest
	case rate > busyRate:
		factor = busyRest
	}
	return min(time.Duration(factor)*now.Sub(begin), longestRest)
}

func rest(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
