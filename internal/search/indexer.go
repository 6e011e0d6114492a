// Package search finds messages, notes and contacts by their texts. An Indexer updates the index in the
// background, so that no send and no callback waits for it. A Searcher asks the index, and shows only the hits
// that still match and that the user may see.
package search

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/parleyhq/parley/internal/logging"
	"github.com/parleyhq/parley/internal/part"
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
	part.Life
	store   *store.Store
	index   *store.SearchIndex
	metrics metrics
	trouble *logging.Episode

	bell    part.Bell
	changes atomic.Int64 // that were told since the last step
	stepped store.Moment // when that was
	lag     time.Duration
	rest    func(context.Context, time.Duration)
	settled store.Moment // when it was last looked for what came late
	aged    store.Moment // and for what is too old
}

// Start begins to index, with rests, and has the store tell of what is written.
func (x *Indexer) Start(context.Context) error {
	x.rest = rest
	x.start()
	return nil
}

func (x *Indexer) start() {
	x.store.HandTo(func(h *store.Hands) {
		others := h.Changed
		h.Changed = func(changes []store.Change) {
			if others != nil {
				others(changes)
			}
			x.changed(len(changes))
		}
	})
	x.Go(x.run)
}

// New makes an indexer that runs only when Sweep is called, without rests.
func New(cfg Config) *Indexer {
	return &Indexer{
		Life: part.NewLife(), store: cfg.Store, index: cfg.Index, metrics: newMetrics(cfg.Metrics), bell: part.NewBell(),
		trouble: logging.NewEpisode(cfg.Log, cfg.Metrics, "search_index",
			"the search index cannot be kept up to date: searches do not find what is new", "the search index is kept up to date again"),
		rest: func(context.Context, time.Duration) {},
	}
}

func (x *Indexer) changed(n int) {
	x.changes.Add(int64(n))
	x.bell.Wake()
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
		case <-x.bell:
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
