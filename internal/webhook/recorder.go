package webhook

import (
	"context"
	"sync"
	"time"

	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/fair"
	"github.com/parleyhq/parley/internal/part"
	"github.com/parleyhq/parley/internal/store"
)

const (
	// recordBatch is how many outcomes are written together, all of one organization: enough to make a commit
	// worthwhile, and few enough that other writers do not wait long.
	recordBatch = 128
	// recordWait is how long a batch waits for more outcomes.
	recordWait = 5 * time.Millisecond
	// recorders is how many batches are written at a time. On SQLite they share a commit, on PostgreSQL each has a
	// connection.
	recorders = 4
	// maxUnrecorded bounds the outcomes that wait for the store. Above it no more attempts leave.
	maxUnrecorded = 4096
	// orgUnrecorded is the same bound for one organization.
	orgUnrecorded = maxUnrecorded / 2
)

// outcome is the result of an attempt.
type outcome struct {
	job    *job
	result core.DeliveryResult
	due    store.Moment // when the next attempt is due, if there is one
}

// recorder stores outcomes in batches. Organizations take turns.
type recorder struct {
	engine *Engine
	done   chan struct{}

	mu      sync.Mutex
	waiting fair.Rounds[string, outcome]
	closed  bool
	wake    part.Bell
}

func startRecorder(e *Engine) *recorder {
	r := &recorder{engine: e, wake: part.NewBell(), done: make(chan struct{})}
	go r.run()
	return r
}

// add never blocks: dispatch limits how many outcomes can come.
func (r *recorder) add(o outcome) {
	r.mu.Lock()
	r.waiting.Add(o.job.OrgID, o)
	r.mu.Unlock()
	r.wake.Wake()
}

// stop stores the queued outcomes. Nothing may be added any more.
func (r *recorder) stop() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.wake.Wake()
	<-r.done
}

// run writes the outcomes as they come, a few batches at a time.
func (r *recorder) run() {
	defer close(r.done)
	var writing sync.WaitGroup
	defer writing.Wait()
	writes := make(chan struct{}, recorders)
	for r.await() {
		writes <- struct{}{}
		for batch := r.next(); len(batch) > 0; batch = r.next() {
			writing.Go(func() {
				r.write(batch)
				<-writes
			})
			writes <- struct{}{} // outcomes that come while all writers are busy go with the next batch
		}
		<-writes
	}
}

// await waits until there is an outcome to write, and a little longer for more. It reports false when nothing is left
// to wait for.
func (r *recorder) await() bool {
	for {
		r.mu.Lock()
		waiting, closed := r.waiting.Len(), r.closed
		r.mu.Unlock()
		switch {
		case waiting >= recordBatch || waiting > 0 && closed:
			return true
		case closed:
			return false
		case waiting > 0:
			time.Sleep(recordWait)
			return true
		}
		<-r.wake
	}
}

func (r *recorder) next() []outcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, batch := r.waiting.Next(recordBatch, fair.Any)
	return batch
}

// write stores a batch, however long that takes, because a delivery without a stored outcome would be made again. It
// gives up only when the process ends.
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
	ctx, cancel := context.WithTimeout(store.WithTurn(context.Background(), store.Turn{OrgID: results[0].Job.OrgID}), 30*time.Second)
	defer cancel()
	err = r.engine.cfg.Store.InTx(ctx, func(tx *store.Tx) (err error) {
		streaks, err = core.RecordDeliveries(tx, r.engine.cfg.Lease().Node, results)
		return err
	})
	return streaks, err
}
