package inbound

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

const (
	// workers is how many workers apply updates side by side.
	workers = 4
	// restAfter is how long a number rests after the store could not take its updates.
	restAfter = time.Second
	// storeTimeout bounds transactions that only write callback rows, and applyTimeout those that apply updates.
	storeTimeout = 10 * time.Second
	applyTimeout = 30 * time.Second
	// latePatience is how often a callback may exceed that before it counts as the callback's own fault.
	latePatience = 3
)

func (r *Receiver) work() {
	for turns := r.queues.take(); turns != nil; turns = r.queues.take() {
		r.apply(turns)
		if r.queues.wantsRows() {
			r.wakeLoader()
		}
	}
}

// apply applies the waiting updates of several numbers in one transaction. If that fails, it applies each number's on
// its own, because one of them may be at fault. If the store is unavailable, everything stays in the queues, so that
// the order is kept.
func (r *Receiver) apply(turns []turn) {
	rows, updates := r.queues.ending(turns), updatesOf(turns)
	r.awaitRecorded(updates)
	err := r.applyTogether(updates, rows)
	if err == nil {
		r.finish(turns, rows)
		return
	}
	if isAway(err) || r.secure(turns) != nil {
		for _, t := range turns {
			r.queues.release(t.queue, restAfter)
		}
		return
	}
	for _, t := range turns {
		r.applyAlone(t)
	}
}

func updatesOf(turns []turn) (all []provider.Update) {
	for _, t := range turns {
		for _, p := range t.pieces {
			all = append(all, p.updates()...)
		}
	}
	return all
}

// awaitRecorded lets the sender write first what it knows of the messages that statuses are about.
func (r *Receiver) awaitRecorded(updates []provider.Update) {
	if r.cfg.AwaitRecorded == nil {
		return
	}
	var ids []string
	for _, u := range updates {
		if s, ok := u.(provider.StatusUpdate); ok && s.CallbackData != "" {
			ids = append(ids, s.CallbackData)
		}
	}
	if len(ids) > 0 {
		r.cfg.AwaitRecorded(r.ctx, ids)
	}
}

// finish takes applied updates from their queues. Their rows were removed in the same transaction.
func (r *Receiver) finish(turns []turn, removed []store.Callback) {
	gone := map[string]bool{}
	for _, c := range removed {
		gone[c.ID] = true
	}
	for _, t := range turns {
		for _, p := range t.pieces {
			if e, isRow := r.queues.applied(t.queue, p, nil); isRow && !gone[e.row.ID] {
				r.end(e)
			}
		}
		if !r.cfg.Store.Alone() {
			r.queues.gather(t.queue)
		} else {
			r.queues.release(t.queue, 0)
		}
	}
	r.queues.letGo(removed...)
}

// secure stores the callbacks that the provider still waits for, and answers, before they are applied in parts. If
// that fails, the provider sends them again; until then they wait here.
func (r *Receiver) secure(turns []turn) error {
	var unstored []*arrival
	for _, t := range turns {
		for _, p := range t.pieces {
			if r.queues.beginStoring(p.part.arrival) {
				unstored = append(unstored, p.part.arrival)
			}
		}
	}
	ctx, cancel := context.WithTimeout(r.writing, storeTimeout)
	defer cancel()
	err := r.keep(ctx, unstored)
	for _, a := range unstored {
		a.tell(err)
	}
	return err
}

// applyAlone applies one number's updates, callback by callback.
func (r *Receiver) applyAlone(t turn) {
	rest := time.Duration(0)
	for _, p := range t.pieces {
		if !r.applyPiece(t.queue, p) {
			rest = restAfter
			break
		}
	}
	r.queues.release(t.queue, rest)
}

// applyPiece applies the updates of one callback. If that fails, it applies them one by one: a failing update is tried
// again later with the whole callback, and holds up nothing. It returns false if the store is unavailable or slow;
// then the rest stays in the queue, and other numbers do not wait for the next try.
func (r *Receiver) applyPiece(n *queue, p piece) bool {
	err := r.applyTogether(p.updates(), nil)
	if p.part.stays(err) {
		return false
	}
	if err == nil || p.count == 1 {
		r.done(n, p, err)
		return !isLate(err)
	}
	r.cfg.Log.Warn("a callback is applied piece by piece", "callback", r.queues.rowOf(p.part.arrival), "updates", p.count, "error", err)
	for range p.count {
		one := piece{p.part, 1}
		err := r.applyTogether(one.updates(), nil)
		if p.part.stays(err) {
			return false
		}
		if r.done(n, one, err); isLate(err) {
			return false
		}
	}
	return true
}

// stays reports whether the store was at fault, so that the updates stay. A late transaction may only have met a lock
// that lasts a while.
func (p *part) stays(err error) bool {
	if isLate(err) {
		p.late++
		return p.late <= latePatience
	}
	return isAway(err)
}

// isAway reports whether the store cannot be used, or not any more, because a stop may not wait for it.
func isAway(err error) bool {
	return errors.Is(err, store.ErrUnavailable) || errors.Is(err, context.Canceled)
}

func isLate(err error) bool { return errors.Is(err, context.DeadlineExceeded) }

func (r *Receiver) done(n *queue, p piece, failure error) {
	if e, isRow := r.queues.applied(n, p, failure); isRow {
		r.end(e)
	}
}

// applyTogether applies updates in one transaction, and removes the rows that are complete with them.
func (r *Receiver) applyTogether(updates []provider.Update, ending []store.Callback) (err error) {
	ctx, cancel := context.WithTimeout(r.writing, applyTimeout)
	defer cancel()
	defer func() { // otherwise a stored callback that panics would end the process at every start
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	apply := func() error {
		return r.inTx(ctx, updates, func(tx *store.Tx) error {
			if err := r.applier.ApplyAll(tx, updates); err != nil {
				return err
			}
			r.learn(tx, updates)
			return finishRows(tx, ending)
		})
	}
	if onlyStatuses(updates) {
		err = r.cfg.Store.Aside(ctx, apply)
	} else {
		err = apply()
	}
	if err == nil {
		r.cfg.Metrics.applied.Add(float64(len(updates)))
	}
	return err
}

// learn remembers how many deliveries the updates have caused, where these are written with them.
func (r *Receiver) learn(tx *store.Tx, updates []provider.Update) {
	if tx.InSteps() || len(updates) == 0 {
		return
	}
	numbers := map[string]bool{}
	for _, u := range updates {
		numbers[numberOf(u)] = true
	}
	tx.AfterCommit(func() { r.queues.learn(slices.Collect(maps.Keys(numbers)), tx.DeliveredInAll()/len(updates)) })
}

// onlyStatuses tells whether nobody waits for the updates.
func onlyStatuses(updates []provider.Update) bool {
	return !slices.ContainsFunc(updates, func(u provider.Update) bool {
		_, status := u.(provider.StatusUpdate)
		return !status
	})
}

// inTx runs a transaction. updates are the ones that it applies, if any.
func (r *Receiver) inTx(ctx context.Context, updates []provider.Update, fn func(*store.Tx) error) error {
	if r.cfg.around == nil {
		return r.cfg.Store.InTx(ctx, fn)
	}
	return r.cfg.around(updates, func() error { return r.cfg.Store.InTx(ctx, fn) })
}

func finishRows(tx *store.Tx, rows []store.Callback) error {
	for _, c := range rows {
		if _, err := tx.FinishCallback(c.ID, c.Owner); err != nil {
			return err
		}
	}
	return nil
}
