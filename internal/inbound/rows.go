package inbound

import (
	"context"
	"errors"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

const (
	sweepEvery = time.Second
	// claimLimit and loadLimit bound one read of the table.
	claimLimit = 200
	loadLimit  = 1000
	// asideFor is how long a callback that cannot be applied is kept for the operator.
	asideFor = 30 * 24 * time.Hour
)

// retryAfter is how long a callback waits after each failure to apply it. After the last one it is set aside.
var retryAfter = []time.Duration{
	time.Second, 5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour,
}

// keep stores arrivals.
func (r *Receiver) keep(ctx context.Context, arrivals []*arrival) error {
	if len(arrivals) == 0 {
		return nil
	}
	rows, at := make([]store.Callback, len(arrivals)), r.queues.instant(r.cfg.Store.Now)
	for i, a := range arrivals {
		rows[i] = store.Callback{ID: r.cfg.Store.NewIDAt(chat.KindCallback, at), Body: a.callback.Body, DueAt: at, Owner: r.cfg.Lease().Node}
	}
	r.queues.hold(rows)
	err := r.inTx(ctx, nil, func(tx *store.Tx) error {
		for _, c := range rows {
			if err := tx.InsertCallback(c); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		r.queues.letGo(rows...)
		r.queues.notStored(arrivals)
		return err
	}
	for i, a := range arrivals {
		if e, applied := r.queues.stored(a, rows[i]); applied {
			r.end(e)
		}
	}
	return nil
}

// end removes the row of an applied callback, or schedules another attempt. If that fails, the row is read back and
// applied once more, which changes nothing.
func (r *Receiver) end(e ended) {
	defer r.queues.letGo(e.row)
	ctx, cancel := context.WithTimeout(r.writing, storeTimeout)
	defer cancel()
	err := r.inTx(ctx, nil, func(tx *store.Tx) error {
		if e.failed == nil {
			return finishRows(tx, []store.Callback{e.row})
		}
		return tx.RetryCallback(r.postponed(e))
	})
	if err != nil {
		r.cfg.Log.Warn("a callback could not be removed or scheduled again", "callback", e.row.ID, "error", err)
	}
}

// postponed is the row of a callback that could not be applied, with its next attempt.
func (r *Receiver) postponed(e ended) store.Callback {
	c := e.row
	wait := asideFor
	if c.Attempts < len(retryAfter) {
		wait = retryAfter[c.Attempts]
		r.cfg.Log.Warn("a callback could not be applied", "callback", c.ID, "attempt", c.Attempts+1, "again_in", wait, "error", e.failed)
	} else {
		r.cfg.Log.Error("a callback could not be applied and is set aside", "callback", c.ID, "error", e.failed)
	}
	r.cfg.Metrics.failed.Inc()
	c.Attempts++
	c.DueAt = r.cfg.Store.Now().Add(wait)
	return c
}

func (r *Receiver) sweepLoop() {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	look := r.sweep
	for {
		if err := look(); err != nil && r.ctx.Err() == nil {
			r.cfg.Log.Warn("callbacks could not be read back", "error", err)
		}
		select {
		case <-tick.C:
			look = r.sweep
		case <-r.loader:
			look = r.load
		case <-r.ctx.Done():
			return
		}
	}
}

// wakeLoader makes the loader read rows back before the next sweep.
func (r *Receiver) wakeLoader() {
	select {
	case r.loader <- struct{}{}:
	default:
	}
}

// sweep takes over the callbacks of dead nodes, and reads back rows that are due again or did not fit into memory.
func (r *Receiver) sweep() error {
	var lease store.Lease
	for claimed := claimLimit; claimed == claimLimit; {
		lease = r.cfg.Lease()
		if !lease.Holds(r.cfg.Store.Moment(), 0) {
			return nil
		}
		err := r.inTx(r.ctx, nil, func(tx *store.Tx) error {
			ids, err := tx.ClaimCallbacks(lease.Node, claimLimit)
			claimed = len(ids)
			return err
		})
		if err != nil {
			return err
		}
		if claimed > 0 {
			r.queues.fallBehind()
		}
	}
	r.node = lease.Node
	return r.load()
}

// load reads back rows, oldest first, as far as there is room. Under a new name, also its first, this node reads none
// until it has taken over all rows of its old name or of an earlier process, because those come first.
func (r *Receiver) load() error {
	node := r.cfg.Lease().Node
	if node != r.node {
		return nil
	}
	gone, held, lost := r.queues.outside()
	limit := held + loadLimit
	ids, err := r.cfg.Store.Read(r.ctx).DueCallbacks(node, r.cfg.Store.Now(), limit)
	if err != nil {
		return err
	}
	for _, id := range ids {
		delete(gone, id)
		wanted, room := r.queues.loadable(id)
		if !wanted {
			continue
		}
		if !room {
			return nil
		}
		if err := r.loadOne(id, node); err != nil {
			return err
		}
	}
	if len(ids) < limit {
		r.queues.caughtUp(gone, lost)
	}
	return nil
}

func (r *Receiver) loadOne(id, node string) error {
	c, err := r.cfg.Store.Read(r.ctx).DueCallback(id, node, r.cfg.Store.Now())
	if errors.Is(err, store.ErrNotFound) { // it was applied meanwhile
		return nil
	}
	if err != nil {
		return err
	}
	a := r.decode(c)
	if len(a.parts) == 0 {
		r.end(ended{row: c})
		return nil
	}
	r.queues.load(a)
	return nil
}
