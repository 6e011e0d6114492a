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
	// worthwhile, and few enough that other writers do not wait long. On SQLite every other transaction waits for
	// the end of one, and batches share a commit, so that small ones cost nothing; while several organizations come
	// they are smaller still.
	recordBatch, smallBatch, crowdedBatch = 128, 24, 12
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

// line is an organization's outcomes that change what is known of their endpoints, the troubled ones, or the others.
type line struct {
	orgID    string
	troubled bool
}

func (o outcome) line() line {
	return line{o.job.OrgID, o.result.Troubled()}
}

// recorder stores outcomes in batches. Lines take turns. The troubled outcomes of an organization are stored one batch
// after the other, because what a failure says about its endpoint must not be overwritten by an earlier one.
type recorder struct {
	engine  *Engine
	batch   int         // the most outcomes that are written together
	crowded func() bool // fewer than that are
	done    chan struct{}

	mu      sync.Mutex
	waiting fair.Rounds[line, outcome]
	writing map[string]bool // organizations whose troubled outcomes are being written
	closed  bool
	wake    part.Bell
}

func newRecorder(e *Engine, batch int) *recorder {
	return &recorder{engine: e, batch: batch, crowded: func() bool { return false }, done: make(chan struct{}), writing: map[string]bool{}, wake: part.NewBell()}
}

func startRecorder(e *Engine) *recorder {
	batch := recordBatch
	if e.cfg.Store.Alone() {
		batch = smallBatch
	}
	r := newRecorder(e, batch)
	r.crowded = e.cfg.Store.Crowded
	go r.run()
	return r
}

// add never blocks: dispatch limits how many outcomes can come.
func (r *recorder) add(o outcome) {
	r.mu.Lock()
	r.waiting.Add(o.line(), o)
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
				r.wrote(batch[0].line())
				<-writes
			})
			writes <- struct{}{} // outcomes that come while all writers are busy go with the next batch
		}
		<-writes
	}
}

// await waits until an outcome can be written, and a little longer for more. It reports false when nothing is left to
// wait for.
func (r *recorder) await() bool {
	for {
		r.mu.Lock()
		ready, waiting, closed := r.waiting.Count(r.free), r.waiting.Len(), r.closed
		r.mu.Unlock()
		switch {
		case waiting == 0 && closed:
			return false
		case ready >= r.batch || ready > 0 && closed:
			return true
		case ready > 0:
			time.Sleep(recordWait)
			return true
		}
		<-r.wake
	}
}

// free tells whether a batch of the line can be written now.
func (r *recorder) free(l line) bool { return !l.troubled || !r.writing[l.orgID] }

func (r *recorder) next() []outcome {
	most := r.batch
	if r.crowded() {
		most = min(most, crowdedBatch)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	l, batch := r.waiting.Next(most, r.free)
	if len(batch) > 0 && l.troubled {
		r.writing[l.orgID] = true
	}
	return batch
}

// wrote lets the next batch of a line follow.
func (r *recorder) wrote(l line) {
	if !l.troubled {
		return
	}
	r.mu.Lock()
	delete(r.writing, l.orgID)
	r.mu.Unlock()
	r.wake.Wake()
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
