// Package housekeeping deletes data that has outlived its purpose, and finishes long work that requests and
// callbacks left behind. It works in steps that are short enough for other writers, with rests between them.
package housekeeping

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/parleyhq/parley/internal/blob"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/part"
	"github.com/parleyhq/parley/internal/store"
)

const (
	every = time.Minute
	// statisticsEvery is short, because a table that grows fast is slow until the engine knows its size.
	statisticsEvery = time.Second
	// organizationsEvery is how often the engine's statistics are compared with the organizations.
	organizationsEvery = 10 * time.Second
	// fileBatch is the number of files removed before their rows are deleted.
	fileBatch = 100
	// contactJobLife is how long an import can be undone and its errors read.
	contactJobLife = 30 * 24 * time.Hour
	// apiLogLife is how long API calls can be looked up.
	apiLogLife = 30 * 24 * time.Hour
	// callbackLife is a day longer than the time for which a callback that cannot be applied is set aside, so
	// that it is tried once more in between.
	callbackLife = 31 * 24 * time.Hour
	// stragglers is how long after an organization was deleted a request may still write for it.
	stragglers = time.Minute
)

// Housekeeper runs the periodic work of one node. With several nodes, a lock in the store lets one node at a
// time do a batch.
type Housekeeper struct {
	part.Life
	store  *store.Store
	blobs  blob.Store
	log    *slog.Logger
	sweeps sync.Mutex   // one at a time
	steps  *store.Steps // of all purges, so that there is a rest between them as well
	passed string       // the key of the last file that was looked at
}

// New makes a housekeeper.
func New(st *store.Store, blobs blob.Store, log *slog.Logger) *Housekeeper {
	return &Housekeeper{Life: part.NewLife(), store: st, blobs: blobs, log: log, steps: st.Steps().Purge()}
}

// Start begins the work. The first sweep comes after a while: a start has enough to do. It can take hours, which the rest
// does not wait for.
func (h *Housekeeper) Start(context.Context) error {
	h.regularly(every, "sweep", h.Sweep)
	h.regularly(statisticsEvery, "statistics", h.store.RefreshStatistics)
	h.regularly(organizationsEvery, "statistics", h.store.MeetOrganizations)
	h.regularly(wakeEvery, "snoozed conversations", h.WakeSnoozed)
	return nil
}

// regularly does something again and again, beside everything else.
func (h *Housekeeper) regularly(every time.Duration, what string, do func(context.Context) error) {
	h.Go(func(ctx context.Context) {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if err := do(ctx); err != nil && ctx.Err() == nil {
					h.log.Warn("housekeeping", "what", what, "error", err)
				}
			case <-ctx.Done():
				return
			}
		}
	})
}

// Sweep does everything that is due now.
func (h *Housekeeper) Sweep(ctx context.Context) (err error) {
	h.sweeps.Lock()
	defer h.sweeps.Unlock()
	h.purge(ctx, "idempotency keys", func(tx *store.Tx, rows int) (int64, error) { return tx.PurgeIdempotency(rows) })
	h.purge(ctx, "callbacks", func(tx *store.Tx, rows int) (int64, error) {
		return tx.PurgeCallbacks(tx.Now().Add(-callbackLife), rows)
	})
	h.purge(ctx, "sessions", func(tx *store.Tx, rows int) (int64, error) {
		return tx.PurgeSessions(tx.Now().Add(-chat.SessionIdle), rows)
	})
	h.purge(ctx, "links of users", (*store.Tx).PurgeUserLinks)
	h.purge(ctx, "undos", func(tx *store.Tx, rows int) (int64, error) {
		return tx.PurgeBulkUndos(tx.Now().Add(-core.UndoLife), rows)
	})
	h.purge(ctx, "work on contacts", func(tx *store.Tx, rows int) (int64, error) {
		return tx.PurgeContactJobs(tx.Now().Add(-contactJobLife), rows)
	})
	h.purge(ctx, "changes without a message", func(tx *store.Tx, rows int) (int64, error) {
		return tx.PurgeEarlyChanges(tx.Now().Add(-core.EarlyChangeLife), rows)
	})
	h.purge(ctx, "recipients of unfinished copies", core.RemoveLeftCopy)
	for _, sweep := range []func(context.Context) error{h.catchUp, h.mergeContacts, h.release, h.sweepLogs, h.sweepMessages, h.sweepOrganizations, h.sweepFiles, h.sweepSpace} {
		err = errors.Join(err, sweep(ctx))
	}
	return err
}

// sweepLogs deletes old API calls and deliveries.
func (h *Housekeeper) sweepLogs(ctx context.Context) error {
	orgs, err := h.store.Read(ctx).Organizations()
	for _, org := range orgs {
		h.purgeOld(ctx, store.Calls, org.ID, apiLogLife, (*store.Tx).PurgeAPILog)
		h.webhooks(ctx, org.ID)
		h.purgeOld(ctx, store.Audits, org.ID, core.AuditLife*24*time.Hour, (*store.Tx).PurgeAudit)
	}
	return err
}

// sweepMessages deletes messages that are older than their organization's plan keeps.
func (h *Housekeeper) sweepMessages(ctx context.Context) error {
	retentions, err := h.store.Read(ctx).Retentions()
	if err != nil {
		return err
	}
	for orgID, days := range retentions {
		life := time.Duration(days) * 24 * time.Hour
		h.purgeOld(ctx, store.Messages, orgID, life, (*store.Tx).PurgeMessages)
		h.purgeOld(ctx, store.Attachments, orgID, life, (*store.Tx).PurgeAttachments)
		h.purgeOld(ctx, store.Notes, orgID, life, (*store.Tx).PurgeNotes)
		h.purgeOld(ctx, store.Happenings, orgID, life, (*store.Tx).PurgeHappenings)
	}
	return nil
}

// sweepOrganizations deletes what deleted organizations have left behind.
func (h *Housekeeper) sweepOrganizations(ctx context.Context) error {
	orgs, err := h.store.Read(ctx).OrganizationsToPurge(h.store.Now().Add(-stragglers))
	for _, id := range orgs {
		h.purge(ctx, "organization "+id, func(tx *store.Tx, rows int) (int64, error) { return tx.PurgeOrganization(id, rows) })
	}
	return err
}

// sweepFiles removes the bytes of files whose rows are gone. The reminder of a file is deleted afterwards, so
// that a crash leaves no file behind. After one that cannot be removed, the next sweep goes on with those behind it.
func (h *Housekeeper) sweepFiles(ctx context.Context) error {
	h.steps.Turn()
	for ctx.Err() == nil {
		keys, err := h.store.Read(ctx).RemovedFiles(h.passed, fileBatch)
		if err != nil || len(keys) == 0 {
			h.passed = ""
			return err
		}
		gone, failure := h.removeFiles(ctx, keys)
		if _, _, err := h.steps.Do(ctx, func(tx *store.Tx, _ int) (int64, error) { return 0, tx.ForgetRemovedFiles(gone) }); err != nil {
			return err
		}
		if failure != nil {
			return failure
		}
	}
	return nil
}

// removeFiles removes files up to the first that cannot be removed.
func (h *Housekeeper) removeFiles(ctx context.Context, keys []string) (gone []string, err error) {
	for _, key := range keys {
		h.passed = key
		if err := h.blobs.Delete(ctx, key); err != nil {
			return gone, err
		}
		gone = append(gone, key)
	}
	return gone, nil
}

// sweepSpace returns free space of the database to the system, if there is much.
func (h *Housekeeper) sweepSpace(ctx context.Context) error {
	spare, err := h.store.Read(ctx).SparePages()
	if err != nil || spare == 0 {
		return err
	}
	h.steps.Turn()
	for given := int64(0); given < spare; {
		n, _, err := h.steps.Do(ctx, (*store.Tx).GivePagesBack)
		if given += n; err != nil || n == 0 {
			return err
		}
	}
	h.log.Info("space was given back", "pages", spare)
	return nil
}

// purgeOld purges an organization's rows that have outlived their time.
func (h *Housekeeper) purgeOld(ctx context.Context, table store.Aging, orgID string, life time.Duration,
	purge func(tx *store.Tx, orgID string, before time.Time, limit int) (int64, error)) {
	before := h.store.Now().Add(-life)
	if h.anyBefore(ctx, table, orgID, before) {
		h.purge(ctx, string(table), func(tx *store.Tx, rows int) (int64, error) { return purge(tx, orgID, before, rows) })
	}
}

// anyBefore checks whether there is anything to purge. Usually there is not, and this check costs no
// transaction.
func (h *Housekeeper) anyBefore(ctx context.Context, table store.Aging, orgID string, before time.Time) bool {
	found, err := h.store.Read(ctx).AnyBefore(table, orgID, before)
	if err != nil && ctx.Err() == nil {
		h.log.Warn("housekeeping", "what", table, "error", err)
	}
	return found
}

// purge runs step repeatedly, and logs how many rows it deleted.
func (h *Housekeeper) purge(ctx context.Context, what string, step func(tx *store.Tx, rows int) (int64, error)) {
	h.tell(what, h.inSteps(ctx, what, step))
}

// inSteps runs step until it does fewer rows than it may, and returns the total.
func (h *Housekeeper) inSteps(ctx context.Context, what string, step func(tx *store.Tx, rows int) (int64, error)) (total int64) {
	h.steps.Turn()
	for more := true; more; {
		var n int64
		var err error
		n, more, err = h.steps.Do(ctx, func(tx *store.Tx, rows int) (int64, error) {
			free, err := tx.TryLock("housekeeping")
			if err != nil || !free {
				return 0, err
			}
			return step(tx, rows)
		})
		if total += n; err != nil && ctx.Err() == nil {
			h.log.Warn("housekeeping", "what", what, "error", err)
		}
	}
	return total
}

func (h *Housekeeper) tell(what string, rows int64) {
	if rows > 0 {
		h.log.Info("purged", "what", what, "rows", rows)
	}
}
