package webhook

import (
	"context"
	"sync"
	"time"

	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

const (
	recordBatch = 512
	// recordWait is how long a batch waits for more.
	recordWait = 5 * time.Millisecond
	// recorders is how many batches are written at a time: on SQLite they share a commit, on
	// PostgreSQL they have a connection each.
	recorders = 4
	// maxUnrecorded bounds the outcomes that wait for the store: past it nothing more leaves.
	maxUnrecorded = 4096
)

// outcome is an attempt that has ended.
type outcome struct {
	job    *job
	result core.DeliveryResult
	due    store.Moment // of the next attempt, where there is one
}

// recorder stores outcomes in batches.
type recorder struct {
	engine *Engine
	queue  chan outcome
	writes chan struct{} // one for each batch that is being written
	done   chan struct{}
}

func startRecorder(e *Engine) *recorder {
	r := &recorder{
		engine: e, queue: make(chan outcome, maxUnrecorded+maxInFlight), writes: make(chan struct{}, recorders), done: make(chan struct{}),
	}
	go r.run()
	return r
}

// add never blocks: what leaves is bounded by what is not recorded yet.
func (r *recorder) add(o outcome) { r.queue <- o }

// stop stores what is queued. Nothing may be added any more.
func (r *recorder) stop() {
	r.engine.closing.Do(func() { close(r.queue) })
	<-r.done
}

func (r *recorder) run() {
	defer close(r.done)
	var writing sync.WaitGroup
	defer writing.Wait()
	timer := time.NewTimer(recordWait)
	defer timer.Stop()
	for first := range r.queue {
		timer.Reset(recordWait)
		batch := r.gather([]outcome{first}, timer.C)
		r.writes <- struct{}{}
		writing.Go(func() {
			r.write(batch)
			<-r.writes
		})
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
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, time.Second) {
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
		streaks, err = core.RecordDeliveries(tx, r.engine.cfg.Lease().Node, results)
		return err
	})
	return streaks, err
}
