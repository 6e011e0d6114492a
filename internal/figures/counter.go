// Package figures counts messages and webhook deliveries in the background (Counter), and makes reports from
// the counts (Read, ReadDeliveries), so that no report reads messages.
package figures

import (
	"context"
	"errors"
	"log/slog"
	"maps"
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
	// restFactor is how many times as long as it worked the counter rests. busyRestFactor is the same for slots that were
	// marked, because a busy one is counted repeatedly while it lasts.
	restFactor     = 10
	busyRestFactor = 30
	longRest       = time.Minute
	// lateFor is how long the provider may report on a message. Counts of older messages are final.
	lateFor = 35 * 24 * time.Hour
	// retries is how often a slot is counted again that another node counts at the same time.
	retries = 5
	// maxKnown is how many slots the counter remembers by their pieces.
	maxKnown = 64
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
// before it has counted, the next start counts its slots. Of a slot that it was the last to count, it counts only the
// pieces in which something has changed: while 100,000 messages are sent, their statuses come for minutes.
type Counter struct {
	part.Life
	store   *store.Store
	trouble *logging.Episode
	rest    func(context.Context, time.Duration)

	mu     sync.Mutex
	marked map[store.Slot]pieceSet
	known  map[store.Slot]counted
	bell   part.Bell
	sweeps bool // at the start
}

type pieceSet map[store.Piece]bool

// counted is a slot as the counter has stored it.
type counted struct {
	version int64
	pieces  store.Pieces
}

// New makes a counter that runs only when it is called, without rests.
func New(cfg Config) *Counter {
	return &Counter{
		Life: part.NewLife(), store: cfg.Store, trouble: logging.NewEpisode(cfg.Log, cfg.Metrics, "message_counts",
			"messages cannot be counted", "messages are counted again"),
		rest:   func(context.Context, time.Duration) {},
		marked: map[store.Slot]pieceSet{}, known: map[store.Slot]counted{}, bell: part.NewBell(), sweeps: cfg.Sweep,
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

// Mark queues what is to be counted soon.
func (c *Counter) Mark(marks []store.Mark) {
	c.mu.Lock()
	for _, m := range marks {
		if c.marked[m.Slot] == nil {
			c.marked[m.Slot] = pieceSet{}
		}
		c.marked[m.Slot][m.Piece] = true
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
		c.rest(ctx, min(longRest, busyRestFactor*time.Since(begin)))
	}
}

// CountMarked counts the marked slots. A slot that fails stays marked.
func (c *Counter) CountMarked(ctx context.Context) error {
	c.mu.Lock()
	marked := c.marked
	c.marked = map[store.Slot]pieceSet{}
	c.mu.Unlock()
	var failed error
	for slot, pieces := range marked {
		if err := c.count(ctx, slot, pieces); err != nil {
			failed = err
			for piece := range pieces {
				c.Mark([]store.Mark{{Slot: slot, Piece: piece}})
			}
		}
	}
	return failed
}

var errContended = errors.New("others count the same messages all the time")

// count counts the pieces of a slot, nil: all of them, outside of the transaction that stores the counts, because the
// embedded store's one writer must not wait for it.
func (c *Counter) count(ctx context.Context, slot store.Slot, pieces pieceSet) error {
	if slot.Deliveries {
		return c.countDeliveries(ctx, slot)
	}
	for range retries {
		r := c.store.Read(ctx)
		version, err := r.SlotVersion(slot)
		if err != nil {
			return err
		}
		counts, err := c.read(r, slot, version, pieces)
		if err != nil {
			return err
		}
		stored := false
		err = c.store.InTx(ctx, func(tx *store.Tx) (err error) {
			stored, err = tx.PutMessageCounts(slot, version, counts.Sum())
			return err
		})
		if err != nil {
			return err
		}
		if stored {
			c.remember(slot, counted{version + 1, counts})
			return nil
		}
	}
	return errContended
}

// read counts the pieces anew and takes the others as they were, if nobody has counted the slot since.
func (c *Counter) read(r store.Reader, slot store.Slot, version int64, pieces pieceSet) (store.Pieces, error) {
	c.mu.Lock()
	before, known := c.known[slot]
	c.mu.Unlock()
	if !known || before.version != version || pieces == nil {
		return r.CountMessages(slot)
	}
	counts := maps.Clone(before.pieces)
	for piece := range pieces {
		var err error
		if counts[piece], err = r.CountPiece(slot, piece); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// remember keeps the counts of a slot. Any other makes room for it: what is forgotten is counted as a whole.
func (c *Counter) remember(slot store.Slot, now counted) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.known, slot)
	for other := range c.known {
		if len(c.known) < maxKnown {
			break
		}
		delete(c.known, other)
	}
	c.known[slot] = now
}

func rest(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
