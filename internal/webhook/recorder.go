package webhook

import (
	"context"
	"time"

	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

const (
	recordBatch = 512
	// recordWait is how long a batch waits for more.
	recordWait = 5 * time.Millisecond
	// recordQueue bounds the outcomes that wait for the store: when it is full, attempts keep their
	// slots, and nothing more leaves.
	recordQueue = 2048
)

// outcome is an attempt that has ended.
type outcome struct {
	job    *job
	result core.DeliveryResult
}

// recorder stores outcomes in batches.
type recorder struct {
	engine *Engine
	queue  chan outcome
	done   chan struct{}
}

func startRecorder(e *Engine) *recorder {
	r := &recorder{engine: e, queue: make(chan outcome, recordQueue), done: make(chan struct{})}
	go r.run()
	return r
}

func (r *recorder) add(o outcome) { r.queue <- o }

// stop stores what is queued. Nothing may be added any more.
func (r *recorder) stop() {
	r.engine.closing.Do(func() { close(r.queue) })
	<-r.done
}

func (r *recorder) run() {
	defer close(r.done)
	batch := make([]outcome, 0, recordBatch)
	timer := time.NewTimer(recordWait)
	defer timer.Stop()
	for first := range r.queue {
		timer.Reset(recordWait)
		batch = r.gather(append(batch[:0], first), timer.C)
		r.write(batch)
		clear(batch)
	}
}

// gather takes what else comes, until the batch is full or has waited long enough.
func (r *recorder) gather(batch []outcome, enough <-chan time.Time) []outcome {
	for len(batch) < recordBatch {
		select {
		case o, ok := <-r.queue:
			if !ok {
				return batch
			}
			batch = append(batch, o)
		case <-enough:
			return batch
		}
	}
	return batch
}

// write stores a batch, however long that takes: what is not stored would be delivered again. Only
// the end of the process ends it.
func (r *recorder) write(batch []outcome) {
	results := make([]core.DeliveryResult, len(batch))
	for i, o := range batch {
		results[i] = o.result
	}
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		streaks, err := r.record(results)
		if err == nil {
			r.engine.recorded(batch, streaks)
			r.engine.cfg.recorded()
			return
		}
		r.engine.cfg.Log.Warn("the outcomes of deliveries could not be written", "count", len(batch), "error", err)
		select {
		case <-time.After(wait):
		case <-r.engine.calls.Done():
			return
		}
	}
}

func (r *recorder) record(results []core.DeliveryResult) (streaks []core.Streak, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	err = r.engine.cfg.Store.InTx(ctx, func(tx *store.Tx) (err error) {
		streaks, err = core.RecordDeliveries(tx, r.engine.cfg.Node, results)
		return err
	})
	return streaks, err
}
