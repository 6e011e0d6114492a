// Package search finds messages, notes and contacts by their texts. An index is made behind those who write
// (Indexer), so that no send and no callback waits for it; a search (Searcher) asks the index and shows of
// what it finds what is still so, and what the one who searches may see.
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
	// every is how often the indexer looks by itself: other nodes write too.
	every = 2 * time.Second
	// gather is how long it waits for more when something was written here.
	gather = 200 * time.Millisecond
	// settleEvery and agedEvery are how often it looks for what came late, and for what is too old.
	settleEvery = time.Minute
	agedEvery   = 10 * time.Minute
	// batch is how many rows a step takes.
	batch = 100
	// busyRate is from how many changes a second on the node counts as busy. Then the indexer rests busyRest
	// times as long as it worked, else idleRest times. One that is behind by more than patience rests lateRest
	// times as long: a load that lasts must not leave it behind for ever.
	busyRate = 20
	busyRest = 30
	idleRest = 2
	lateRest = 5
	patience = time.Minute
	// longestRest is after a step that was slow because the machine is.
	longestRest = 5 * time.Second
)

// Config is what an indexer needs.
type Config struct {
	Store   *store.Store
	Index   *store.SearchIndex
	Metrics prometheus.Registerer // nil: none
	Log     *slog.Logger
}

// Indexer keeps the index up to date. On several nodes one of them does, whoever comes first each time.
type Indexer struct {
	store   *store.Store
	index   *store.SearchIndex
	log     *slog.Logger
	metrics metrics
	trouble *logging.Episode

	wake    chan struct{}
	changes atomic.Int64 // that were told since the last step
	stepped store.Moment // when that was
	lag     time.Duration
	rest    func(context.Context, time.Duration)
	settled store.Moment // when it was last looked for what came late
	aged    store.Moment // and for what is too old

	cancel context.CancelFunc
	done   sync.WaitGroup
}

// Start begins to index, and has the store tell of what is written.
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

// New is an indexer that works when it is told to, without a rest.
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

// Sweep takes up all that the index does not have yet.
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

// step changes the index, and rests. It reports false where another node is at it.
func (x *Indexer) step(ctx context.Context, fn func(store.SearchUpdate) error) (mine bool, err error) {
	begin := x.store.Moment()
	mine, err = x.index.Update(ctx, fn)
	x.rest(ctx, x.due(begin))
	if err == nil {
		err = ctx.Err()
	}
	return mine, err
}

// due is how long to rest after a step: long while others have much to do.
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
