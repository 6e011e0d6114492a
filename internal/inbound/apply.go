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

// arrival is a callback in a lane.
type arrival struct {
	callback store.Callback
	updates  []provider.Update
	decoded  bool
	// answer is where the provider waits; nil for a callback that is stored.
	answer chan error
}

// batch is callbacks that are applied in one transaction.
type batch []*arrival

// updates are those of all its callbacks.
func (b batch) updates() (all []provider.Update) {
	for _, a := range b {
		all = append(all, a.updates...)
	}
	return all
}

// stored are its callbacks that are rows.
func (b batch) stored() (rows []store.Callback) {
	for _, a := range b {
		if a.answer == nil {
			rows = append(rows, a.callback)
		}
	}
	return rows
}

// split parts the callbacks that the provider waits for from those that are stored.
func (b batch) split() (waiting, stored batch) {
	for _, a := range b {
		if a.answer != nil {
			waiting = append(waiting, a)
		} else {
			stored = append(stored, a)
		}
	}
	return waiting, stored
}

func (r *Receiver) runLane(queue chan *arrival) {
	for {
		select {
		case a := <-queue:
			r.apply(r.gather(queue, a))
		case <-r.ctx.Done():
			return
		}
	}
}

// gather adds what else is waiting, up to a transaction's worth.
func (r *Receiver) gather(queue chan *arrival, a *arrival) batch {
	b := batch{r.decode(a)}
	for n := len(a.updates); n < txUpdates; {
		select {
		case next := <-queue:
			b = append(b, r.decode(next))
			n += len(next.updates)
		default:
			return b
		}
	}
	return b
}

func (r *Receiver) read(c store.Callback) *arrival { return r.decode(&arrival{callback: c}) }

func (r *Receiver) decode(a *arrival) *arrival {
	if a.decoded {
		return a
	}
	updates, err := r.cfg.Decode(a.callback.Body)
	if err != nil { // signed by the provider and yet not to be read: there is nothing to apply
		r.cfg.Log.Error("a callback could not be decoded and is dropped", "callback", a.callback.ID, "bytes", len(a.callback.Body), "error", err)
	}
	a.updates, a.decoded = updates, true
	return a
}

// apply applies a batch whole, or else each of its callbacks for itself: one may be at fault. What
// the provider still waits for is stored first, and answered.
func (r *Receiver) apply(b batch) {
	err := r.applyTogether(b.updates(), b.stored())
	waiting, stored := b.split()
	if err != nil && len(waiting) > 0 {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), 10*time.Second)
		defer cancel()
		waiting.tell(r.keep(ctx, waiting...))
	} else {
		waiting.tell(nil)
	}
	if err == nil || len(stored) == 1 && len(b) == 1 && len(stored[0].updates) <= 1 {
		r.settle(stored, err)
		return
	}
	r.applyAlone(stored, err, len(b) == 1)
}

// tell answers the provider.
func (b batch) tell(err error) {
	for _, a := range b {
		a.answer <- err
	}
}

// applyAlone applies callbacks one by one, of which a batch has failed with err.
func (r *Receiver) applyAlone(b batch, err error, wasAlone bool) {
	for _, a := range b {
		if !wasAlone {
			err = r.applyTogether(a.updates, []store.Callback{a.callback})
		}
		if err != nil && !errors.Is(err, store.ErrUnavailable) {
			r.cfg.Log.Warn("a callback is applied piece by piece", "callback", a.callback.ID, "updates", len(a.updates), "error", err)
			err = r.applyEach(a)
		}
		r.settle(batch{a}, err)
	}
}

// applyEach applies the updates of a callback one by one, so that those that can be applied are.
// The callback is done when all are.
func (r *Receiver) applyEach(a *arrival) error {
	var errs []error
	for i := range a.updates {
		errs = append(errs, r.applyTogether(a.updates[i:i+1], nil))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return r.applyTogether(nil, []store.Callback{a.callback})
}

// settle releases what was applied, and schedules another attempt at what was not.
func (r *Receiver) settle(b batch, err error) {
	for _, a := range b {
		if err != nil {
			r.retry(a.callback, err)
		}
		r.release(a.callback.ID)
	}
}

// applyTogether applies updates and removes the callbacks that brought them. Many take several
// transactions, of which only the last removes the callbacks: what the others did is not done
// again, because applying an update twice changes nothing.
func (r *Receiver) applyTogether(updates []provider.Update, finished []store.Callback) error {
	for len(updates) > txUpdates {
		if err := r.applySome(updates[:txUpdates], nil); err != nil {
			return err
		}
		updates = updates[txUpdates:]
	}
	return r.applySome(updates, finished)
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
	applier := r.applier
	applier.Node = r.cfg.FetchNode()
	err = r.cfg.Store.InTx(ctx, func(tx *store.Tx) error {
		out = core.Outcome{}
		if err := applier.ApplyAll(tx, updates, &out); err != nil {
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
