// Package figures counts messages and webhook deliveries in the background (Counter), and makes reports from
// the counts (Read, ReadDeliveries), so that no report reads messages.
package figures

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/parleyhq/parley/internal/logging"
	"github.com/parleyhq/parley/internal/part"
	"github.com/parleyhq/parley/internal/store"
)

const (
	// gather is how long the counter waits for more changes before it counts.
	gather = 2 * time.Second
	// restFactor is how many times as long as it worked the counter rests, because a busy quarter of an hour is
	// counted repeatedly while it lasts.
	restFactor = 10
	longRest   = time.Minute
	// lateFor is how long the provider may report on a message. Counts of older messages are final.
	lateFor = 35 * 24 * time.Hour
	// retries is how often a slot is counted again that another node counts at the same time.
	retries = 5
)

// Config configures a counter.
type Config struct {
	Store   *store.Store
	Metrics prometheus.Registerer // nil: none
	Log     *slog.Logger
	// Sweep makes it count, after the start, the slots that dead nodes left uncounted, and pack old durations. One
	// node of several is enough.
	Sweep bool
}

// Counter keeps the counts up to date. Each node counts the slots in which it has written. If a node dies
// before it has counted, the next start counts its slots.
type Counter struct {
	part.Life
	store   *store.Store
	trouble *logging.Episode
	rest    func(context.Context, time.Duration)

	mu     sync.Mutex
	marked map[store.Slot]bool
	bell   part.Bell
	sweeps bool // at the start
}

// New makes a counter that runs only when it is called, without rests.
func New(cfg Config) *Counter {
	return &Counter{
		Life: part.NewLife(), store: cfg.Store, trouble: logging.NewEpisode(cfg.Log, cfg.Metrics, "message_counts",
			"messages cannot be counted", "messages are counted again"),
		rest:   func(context.Context, time.Duration) {},
		marked: map[store.Slot]bool{}, bell: part.NewBell(), sweeps: cfg.Sweep,
	}
}

// Start has the store tell the counter of messages. What is not counted at a stop is counted after the next start.
func (c *Counter) Start(context.Context) error {
	c.rest = rest
	c.store.HandTo(func(h *store.Hands) { h.Count = c.Mark })
	c.Go(c.run)
	if c.sweeps {
		c.Go(c.sweep)
		c.Every(packEvery, nil, c.packNow)
	}
	return nil
}

// Mark queues slots to be counted soon.
func (c *Counter) Mark(slots []store.Slot) {
	c.mu.Lock()
	for _, s := range slots {
		c.marked[s] = true
	}
	c.mu.Unlock()
	c.bell.Wake()
}

func (c *Counter) run(ctx context.Context) {
	for {
		select {
		case <-c.bell:
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

// CountMarked counts the marked slots. A slot that fails stays marked.
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

// count counts outside of the transaction that stores the counts, because the embedded store's one writer must
// not wait for it.
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
