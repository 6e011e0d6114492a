// Package housekeeping removes what has outlived its purpose, in batches small enough that no
// writer waits long for one.
package housekeeping

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/parleyhq/parley/internal/blob"
	"github.com/parleyhq/parley/internal/store"
)

const (
	every = time.Minute
	// statisticsEvery is short: a table that fills fast is slow until its growth is known.
	statisticsEvery = 5 * time.Second
	// batchRows keeps a batch well under the time a writer may be held up.
	batchRows = 500
	// batchMessages is smaller: a message is in many indexes.
	batchMessages = 100
	// apiLogLife is how long calls can be looked up.
	apiLogLife = 30 * 24 * time.Hour
	// callbackLife is a day more than a callback that cannot be applied is set aside for: it is tried once
	// more in between.
	callbackLife = 31 * 24 * time.Hour
)

// Housekeeper runs the periodic work of one node. With several nodes, a lock in the store lets
// one of them at a time do a batch.
type Housekeeper struct {
	store  *store.Store
	blobs  *blob.Store
	log    *slog.Logger
	cancel context.CancelFunc
	done   sync.WaitGroup
}

// Start begins the work; Stop ends it.
func Start(st *store.Store, blobs *blob.Store, log *slog.Logger) *Housekeeper {
	ctx, cancel := context.WithCancel(context.Background())
	h := &Housekeeper{store: st, blobs: blobs, log: log, cancel: cancel}
	h.done.Go(func() { h.run(ctx) })
	return h
}

// Stop waits for the batch under way.
func (h *Housekeeper) Stop() {
	h.cancel()
	h.done.Wait()
}

func (h *Housekeeper) run(ctx context.Context) {
	tick, statistics := time.NewTicker(every), time.NewTicker(statisticsEvery)
	defer tick.Stop()
	defer statistics.Stop()
	for {
		select {
		case <-tick.C:
			h.Sweep(ctx)
		case <-statistics.C:
			if err := h.store.RefreshStatistics(ctx); err != nil && ctx.Err() == nil {
				h.log.Warn("housekeeping", "what", "statistics", "error", err)
			}
		case <-ctx.Done():
			return
		}
	}
}

// Sweep removes everything that is due now.
func (h *Housekeeper) Sweep(ctx context.Context) {
	h.purge(ctx, "idempotency keys", batchRows, func(tx *store.Tx) (int64, error) { return tx.PurgeIdempotency(batchRows) })
	h.purge(ctx, "callbacks", batchRows, func(tx *store.Tx) (int64, error) {
		return tx.PurgeCallbacks(tx.Now().Add(-callbackLife), batchRows)
	})
	for _, sweep := range []func(context.Context) error{h.sweepLogs, h.sweepMessages, h.sweepFiles} {
		if err := sweep(ctx); err != nil {
			h.log.Warn("housekeeping", "error", err)
		}
	}
}

// sweepLogs removes the calls and the deliveries that can no longer be looked up.
func (h *Housekeeper) sweepLogs(ctx context.Context) error {
	orgs, err := h.store.Read(ctx).Organizations()
	for _, org := range orgs {
		h.purge(ctx, "API log", batchRows, func(tx *store.Tx) (int64, error) {
			return tx.PurgeAPILog(org.ID, tx.Now().Add(-apiLogLife), batchRows)
		})
		h.webhooks(ctx, org.ID)
	}
	return err
}

// sweepMessages removes what is older than its organization's plan keeps.
func (h *Housekeeper) sweepMessages(ctx context.Context) error {
	retentions, err := h.store.Read(ctx).Retentions()
	if err != nil {
		return err
	}
	for orgID, days := range retentions {
		before := h.store.Now().Add(-time.Duration(days) * 24 * time.Hour)
		old, err := h.store.Read(ctx).MessagesBefore(orgID, before)
		if err != nil {
			return err
		}
		if old {
			h.purge(ctx, "messages", batchMessages, func(tx *store.Tx) (int64, error) { return tx.PurgeMessages(orgID, before, batchMessages) })
		}
	}
	return nil
}

// sweepFiles removes the bytes of files whose rows are gone. Only then is the reminder of them
// removed, so that a crash leaves none behind.
func (h *Housekeeper) sweepFiles(ctx context.Context) error {
	for ctx.Err() == nil {
		keys, err := h.store.Read(ctx).RemovedFiles(batchRows)
		if err != nil || len(keys) == 0 {
			return err
		}
		for _, key := range keys {
			if err := h.blobs.Delete(key); err != nil {
				return err
			}
		}
		if err := h.store.InTx(ctx, func(tx *store.Tx) error { return tx.ForgetRemovedFiles(keys) }); err != nil {
			return err
		}
	}
	return nil
}

// purge repeats a batch until it comes back short.
func (h *Housekeeper) purge(ctx context.Context, what string, size int64, batch func(*store.Tx) (int64, error)) {
	var total int64
	for n := size; n == size && ctx.Err() == nil; total += n {
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
