// Package housekeeping removes what has outlived its purpose, in batches small enough that no
// writer waits long for one.
package housekeeping

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/parleyhq/parley/internal/store"
)

const (
	every = time.Minute
	// batchRows keeps a batch well under the time a writer may be held up.
	batchRows = 500
	// apiLogLife is how long calls can be looked up.
	apiLogLife = 30 * 24 * time.Hour
)

// Housekeeper runs the periodic work of one node. With several nodes, a lock in the store lets
// one of them at a time do a batch.
type Housekeeper struct {
	store  *store.Store
	log    *slog.Logger
	cancel context.CancelFunc
	done   sync.WaitGroup
}

// Start begins the work; Stop ends it.
func Start(st *store.Store, log *slog.Logger) *Housekeeper {
	ctx, cancel := context.WithCancel(context.Background())
	h := &Housekeeper{store: st, log: log, cancel: cancel}
	h.done.Go(func() { h.run(ctx) })
	return h
}

// Stop waits for the batch under way.
func (h *Housekeeper) Stop() {
	h.cancel()
	h.done.Wait()
}

func (h *Housekeeper) run(ctx context.Context) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			h.Sweep(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// Sweep removes everything that is due now.
func (h *Housekeeper) Sweep(ctx context.Context) {
	h.purge(ctx, "idempotency keys", func(tx *store.Tx) (int64, error) { return tx.PurgeIdempotency(batchRows) })
	orgs, err := h.store.Read(ctx).Organizations()
	if err != nil {
		h.log.Warn("housekeeping", "error", err)
		return
	}
	for _, org := range orgs {
		h.purge(ctx, "API log", func(tx *store.Tx) (int64, error) {
			return tx.PurgeAPILog(org.ID, tx.Now().Add(-apiLogLife), batchRows)
		})
		h.webhooks(ctx, org.ID)
	}
}

// purge repeats a batch until it comes back short.
func (h *Housekeeper) purge(ctx context.Context, what string, batch func(*store.Tx) (int64, error)) {
	var total int64
	for n := int64(batchRows); n == batchRows && ctx.Err() == nil; total += n {
		err := h.store.InTx(ctx, func(tx *store.Tx) error {
			free, err := tx.TryLock("housekeeping")
			if n = 0; err != nil || !free {
				return err
			}
			n, err = batch(tx)
			return err
		})
		if err != nil {
			h.log.Warn("housekeeping", "what", what, "error", err)
			return
		}
	}
	if total > 0 {
		h.log.Info("purged", "what", what, "rows", total)
	}
}
