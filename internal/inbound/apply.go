package inbound

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// retryAfter is how long a callback waits after each failure to apply it; then it is set aside.
var retryAfter = []time.Duration{
	time.Second, 5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour,
}

// asideFor is how long a callback that cannot be applied is kept for the operator.
const asideFor = 30 * 24 * time.Hour

// batch is callbacks that are applied in one transaction.
type batch struct {
	callbacks []store.Callback
	updates   []provider.Update
}

func (r *Receiver) runLane(queue chan store.Callback) {
	for {
		select {
		case c := <-queue:
			r.apply(r.gather(queue, c))
		case <-r.ctx.Done():
			return
		}
	}
}

// gather adds what else is waiting, up to a transaction's worth.
func (r *Receiver) gather(queue chan store.Callback, c store.Callback) batch {
	var b batch
	r.read(&b, c)
	for len(b.updates) < txUpdates {
		select {
		case next := <-queue:
			r.read(&b, next)
		default:
			return b
		}
	}
	return b
}

func (r *Receiver) read(b *batch, c store.Callback) {
	updates, err := r.cfg.Decode(c.Body)
	if err != nil { // signed by the provider and yet not to be read: there is nothing to apply
		r.cfg.Log.Error("a callback could not be decoded and is dropped", "callback", c.ID, "bytes", len(c.Body), "error", err)
	}
	b.callbacks = append(b.callbacks, c)
	b.updates = append(b.updates, updates...)
}

// apply applies a batch whole, or else each of its callbacks for itself: one may be at fault.
func (r *Receiver) apply(b batch) {
	err := r.applyTogether(b)
	if err == nil || len(b.callbacks) == 1 && len(b.updates) <= 1 {
		r.settle(b, err)
		return
	}
	for _, c := range b.callbacks {
		var alone batch
		r.read(&alone, c)
		if len(b.callbacks) > 1 {
			err = r.applyTogether(alone)
		}
		if err != nil && !errors.Is(err, store.ErrUnavailable) {
			r.cfg.Log.Warn("a callback is applied piece by piece", "callback", c.ID, "updates", len(alone.updates), "error", err)
			err = r.applyEach(alone)
		}
		r.settle(alone, err)
	}
}

// applyEach applies the updates of a callback one by one, so that those that can be applied are.
// The callback is done when all are.
func (r *Receiver) applyEach(b batch) error {
	var errs []error
	for i := range b.updates {
		errs = append(errs, r.applyTogether(batch{updates: b.updates[i : i+1]}))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return r.applyTogether(batch{callbacks: b.callbacks})
}

// settle releases what was applied, and schedules another attempt at what was not.
func (r *Receiver) settle(b batch, err error) {
	for _, c := range b.callbacks {
		if err != nil {
			r.retry(c, err)
		}
		r.release(c.ID)
	}
}

// applyTogether applies a batch and removes its callbacks. A large one takes several
// transactions, of which only the last removes the callback: what the others did is not done
// again, because applying an update twice changes nothing.
func (r *Receiver) applyTogether(b batch) error {
	for len(b.updates) > txUpdates {
		if err := r.applySome(b.updates[:txUpdates], nil); err != nil {
			return err
		}
		b.updates = b.updates[txUpdates:]
	}
	return r.applySome(b.updates, b.callbacks)
}

func (r *Receiver) applySome(updates []provider.Update, finished []store.Callback) (err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), 30*time.Second)
	defer cancel()
	defer func() { // a stored callback that ends the process would do so at every start
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	var out core.Outcome
	err = r.cfg.Store.InTx(ctx, func(tx *store.Tx) error {
		out = core.Outcome{}
		if err := r.applier.ApplyAll(tx, updates, &out); err != nil {
			return err
		}
		for _, c := range finished {
			if _, err := tx.FinishCallback(c.ID, c.Owner); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	r.cfg.Metrics.applied.Add(float64(len(updates)))
	for _, job := range out.MediaJobs {
		r.cfg.Fetch(job)
	}
	return nil
}

func (r *Receiver) retry(c store.Callback, cause error) {
	r.cfg.Metrics.failed.Inc()
	wait := asideFor
	if c.Attempts < len(retryAfter) {
		wait = retryAfter[c.Attempts]
		r.cfg.Log.Warn("a callback could not be applied", "callback", c.ID, "attempt", c.Attempts+1, "again_in", wait, "error", cause)
	} else {
		r.cfg.Log.Error("a callback could not be applied and is set aside", "callback", c.ID, "error", cause)
	}
	c.Attempts++
	c.DueAt = r.cfg.Store.Now().Add(wait)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), 10*time.Second)
	defer cancel()
	if err := r.cfg.Store.InTx(ctx, func(tx *store.Tx) error { return tx.RetryCallback(c) }); err != nil {
		r.cfg.Log.Warn("a callback could not be scheduled again", "callback", c.ID, "error", err)
	}
}

// numberIn finds the first phone_number_id in a callback without decoding it; nil if there is none.
func numberIn(body []byte) []byte {
	_, rest, found := bytes.Cut(body, []byte(`"phone_number_id"`))
	if !found {
		return nil
	}
	_, rest, _ = bytes.Cut(rest, []byte(`"`))
	number, _, _ := bytes.Cut(rest, []byte(`"`))
	return number[:min(len(number), 32)]
}
