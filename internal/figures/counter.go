// Package figures counts messages and webhook deliveries behind those who write them (Counter), and makes reports
// of the counts (Read, ReadDeliveries), so that no report looks at messages.
package figures

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/parleyhq/parley/internal/logging"
	"github.com/parleyhq/parley/internal/store"
)

const (
	// gather is how long the counter waits for more before it counts.
	gather = 2 * time.Second
	// restFactor is how many times as long as it has worked the counter rests. A busy quarter of an hour is
	// counted again and again while it lasts.
	restFactor = 10
	longRest   = time.Minute
	// lateFor is how long the provider may report on a message. What is older was counted for good.
	lateFor = 35 * 24 * time.Hour
	// retries is how often a slot is counted that somebody else counts too.
	retries = 5
)

// Config is what a counter needs.
type Config struct {
	Store   *store.Store
	Metrics prometheus.Registerer // nil: none
	Log     *slog.Logger
	// Sweep has it count, after the start, what nodes that died have left. One node of several is enough.
	Sweep bool
}

// Counter keeps the counts of messages up to date. Each node counts where it has written. What a node has
// written and not counted when it died is counted when a node starts.
type Counter struct {
	store   *store.Store
	trouble *logging.Episode
	rest    func(context.Context, time.Duration)

	mu     sync.Mutex
	marked map[store.Slot]bool
	wake   chan struct{}

	cancel context.CancelFunc
	done   sync.WaitGroup
}

// New makes a counter that does nothing by itself, and does not rest.
func New(cfg Config) *Counter {
	return &Counter{
		store: cfg.Store, trouble: logging.NewEpisode(cfg.Log, cfg.Metrics, "message_counts",
			"messages cannot be counted", "messages are counted again"),
		rest:   func(context.Context, time.Duration) {},
		marked: map[store.Slot]bool{}, wake: make(chan struct{}, 1),
	}
}

// Start makes a counter, and has the store tell it of messages.
func Start(cfg Config) *Counter {
	c := New(cfg)
	c.rest = rest
	ctx, cancel := context.WithCancel(context.Background())
	c.cancel = cancel
	c.store.HandTo(func(h *store.Hands) { h.Count = c.Mark })
	c.done.Go(func() { c.run(ctx) })
	if cfg.Sweep {
		c.done.Go(func() { c.sweep(ctx) })
	}
	return c
}

// Stop ends the work. What is not counted yet is counted after the next start.
func (c *Counter) Stop() {
	c.cancel()
	c.done.Wait()
}

// Mark has slots counted soon.
func (c *Counter) Mark(slots []store.Slot) {
	c.mu.Lock()
	for _, s := range slots {
		c.marked[s] = true
	}
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

func (c *Counter) run(ctx context.Context) {
	for {
		select {
		case <-c.wake:
		case <-ctx.Done():
			return
		}
		c.rest(ctx, gather)
		begin := time.Now()
		if err := c.CountMarked(ctx); ctx.Err() == nil {
			c.trouble.Report(err)
		}
		c.rest(ctx, min(longRest, restFactor*time.Since(begin)))
	}
}

// CountMarked counts what was marked. What cannot be counted stays marked.
func (c *Counter) CountMarked(ctx context.Context) error {
	c.mu.Lock()
	marked := c.marked
	c.marked = map[store.Slot]bool{}
	c.mu.Unlock()
	var failed error
	for slot := range marked {
		if err := c.count(ctx, slot); err != nil {
			failed = err
			c.Mark([]store.Slot{slot})
		}
	}
	return failed
}

var errContended = errors.New("others count the same messages all the time")

// count counts outside of the transaction that stores the counts: the embedded store's one writer must not
// wait for it.
func (c *Counter) count(ctx context.Context, slot store.Slot) error {
	if slot.Deliveries {
		return c.countDeliveries(ctx, slot)
	}
	for range retries {
		r := c.store.Read(ctx)
		version, err := r.SlotVersion(slot)
		if err != nil {
			return err
		}
		counts, err := r.CountMessages(slot)
		if err != nil {
			return err
		}
		stored := false
		err = c.store.InTx(ctx, func(tx *store.Tx) (err error) {
			stored, err = tx.PutMessageCounts(slot, version, counts)
			return err
		})
		if err != nil || stored {
			return err
		}
	}
	return errContended
}

func rest(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
