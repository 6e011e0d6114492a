package sender

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/fair"
	"github.com/parleyhq/parley/internal/logging"
	"github.com/parleyhq/parley/internal/part"
	"github.com/parleyhq/parley/internal/store"
)

const (
	// recordBatch is how many outcomes are written together: enough to make a commit worthwhile, and few enough that
	// other writers do not wait long. On SQLite, while several organizations come, it is crowdedBatch: after a batch the
	// recorder waits until the deliveries of its events are written, and others' outcomes wait with it. recordRound is how
	// many one organization gets before the next organization's turn.
	recordBatch, crowdedBatch = 64, 24
	recordRound               = 8
	// recordGather is how long outcomes of broadcasts wait for others, unless recordFew of them wait already or there is
	// a person's: written by fours and fives, they would cost more than the sending.
	recordGather = 50 * time.Millisecond
	recordFew    = 32
	// maxUnrecorded bounds the outcomes that wait for the store. Above it no more messages are sent.
	maxUnrecorded = 4096
	// recordTimeout ends a write that the store does not answer.
	recordTimeout = 10 * time.Second
	// recordAgain is how soon an unavailable store is tried again.
	recordAgain = 200 * time.Millisecond
	// recordPatience is how long callbacks let outcomes be written first.
	recordPatience = 500 * time.Millisecond
)

// refusedAgain is how long an outcome waits each time that the store is available but refuses it. After the last wait
// it is given up.
var refusedAgain = []time.Duration{100 * time.Millisecond, time.Second, 5 * time.Second, 10 * time.Second}

// recorder writes outcomes in batches. A batch is what has come in while the last one was written; those of broadcasts
// gather a little longer. The recorder keeps each outcome until it is written, however long the store is unavailable,
// because a message without a known outcome is sent again.
type recorder struct {
	record  func([]core.SendResult) error
	most    func() int // outcomes in a batch
	now     func() store.Moment
	log     *slog.Logger
	trouble *logging.Episode
	wake    part.Bell
	done    chan struct{}

	mu      sync.Mutex
	waiting fair.Rounds[store.Turn, outcome] // to be written together, in any order: no two belong to one conversation
	refused []outcome                        // to be written alone, each when it is due
	people  int                              // those in waiting that are not of broadcasts
	since   store.Moment                     // when the first of those in waiting came
	kept    int                              // all outcomes that are not written
	open    map[string]bool                  // ids of the messages whose outcomes are waiting or being written
	written chan struct{}                    // closed when some of them are no longer open
	away    bool                             // the last write found the store unavailable
	again   store.Moment                     // when the store is tried next, if away
	closed  bool                             // nothing more is added
	hurried bool                             // an outcome that the store does not take now is given up
}

type outcome struct {
	result core.SendResult
	after  func(error)
	tries  int // how often the store refused it
	due    store.Moment
}

func startRecorder(s *Sender) *recorder {
	most := func() int {
		if s.cfg.Store.Crowded() {
			return crowdedBatch
		}
		return recordBatch
	}
	return newRecorder(s.record, most, s.cfg.Store.Moment, s.cfg.Log, logging.NewEpisode(s.cfg.Log, s.cfg.Metrics.registry, "send outcomes",
		"the outcomes of sends cannot be written; nothing more is sent until they are", "the outcomes of sends are written again"))
}

// newRecorder makes and starts a recorder.
func newRecorder(record func([]core.SendResult) error, most func() int, now func() store.Moment, log *slog.Logger, trouble *logging.Episode) *recorder {
	r := &recorder{
		record: record, most: most, now: now, log: log, trouble: trouble, wake: part.NewBell(), done: make(chan struct{}),
		open: map[string]bool{}, written: make(chan struct{}),
	}
	go r.run()
	return r
}

// record writes the outcomes of attempts. Those of broadcasts alone can wait.
func (s *Sender) record(results []core.SendResult) error {
	ctx, cancel := context.WithTimeout(store.WithTurn(context.Background(), commonTurn(results)), recordTimeout)
	defer cancel()
	write := func() error {
		results, err := core.PrepareSends(s.cfg.Store.Read(ctx), results)
		if err != nil {
			return err
		}
		return s.cfg.Store.InTx(ctx, func(tx *store.Tx) error { return core.RecordSends(tx, results) })
	}
	if slices.ContainsFunc(results, func(r core.SendResult) bool { return !(queued{SendWork: r.Work}).bulk() }) {
		return write()
	}
	return s.cfg.Store.Aside(ctx, write)
}

// commonTurn is the turn of outcomes that all have the same one, which pays for the store's time. Else it is the program's
// own.
func commonTurn(results []core.SendResult) store.Turn {
	turn := queued{SendWork: results[0].Work}.turn()
	if slices.ContainsFunc(results, func(r core.SendResult) bool { return queued{SendWork: r.Work}.turn() != turn }) {
		return store.Turn{}
	}
	return turn
}

// add takes an outcome. It never blocks: behind limits how many can come.
func (r *recorder) add(result core.SendResult, after func(error)) {
	r.mu.Lock()
	r.put(outcome{result: result, after: after})
	r.open[result.Work.Job.MessageID] = true
	r.kept++
	r.mu.Unlock()
	r.wake.Wake()
}

// put queues an outcome in its organization's turn. Outcomes of people's messages and of broadcasts have separate
// turns.
func (r *recorder) put(o outcome) {
	turn := queued{SendWork: o.result.Work}.turn()
	if r.waiting.Len() == 0 {
		r.since = r.now()
	}
	if !turn.Bulk {
		r.people++
	}
	r.waiting.Add(turn, o)
}

// gathers is how long the waiting outcomes still wait for others.
func (r *recorder) gathers(now store.Moment) time.Duration {
	if r.people > 0 || r.waiting.Len() >= recordFew || r.closed || r.hurried {
		return 0
	}
	return max(0, r.since.Add(recordGather).Sub(now))
}

// await returns when no outcome of the messages is waiting or being written, or when ctx ends. It does not wait for an
// unavailable store, nor for an outcome that the store has refused.
func (r *recorder) await(ctx context.Context, messageIDs []string) {
	for {
		written, open := r.anyOpen(messageIDs)
		if !open {
			return
		}
		select {
		case <-written:
		case <-ctx.Done():
			return
		}
	}
}

func (r *recorder) anyOpen(messageIDs []string) (written <-chan struct{}, open bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.written, !r.away && slices.ContainsFunc(messageIDs, func(id string) bool { return r.open[id] })
}

// closeOpen lets those continue that await the outcomes of a batch. The caller holds the lock.
func (r *recorder) closeOpen(batch []outcome) {
	for _, o := range batch {
		delete(r.open, o.result.Work.Job.MessageID)
	}
	r.tellAwaiting()
}

func (r *recorder) tellAwaiting() {
	close(r.written)
	r.written = make(chan struct{})
}

// behind tells whether no message should be sent now, because its outcome would have to wait.
func (r *recorder) behind() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.away || r.kept >= maxUnrecorded
}

// stop writes the remaining outcomes. Nothing may be added any more.
func (r *recorder) stop() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.wake.Wake()
	<-r.done
}

// hurry stops waiting for an unavailable store: each outcome is tried once more.
func (r *recorder) hurry() {
	r.mu.Lock()
	r.hurried = true
	r.mu.Unlock()
	r.wake.Wake()
}

func (r *recorder) run() {
	defer close(r.done)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		batch, wait := r.next()
		switch {
		case len(batch) > 0:
			r.write(batch)
			continue
		case wait == 0:
			return
		}
		timer.Reset(wait)
		select {
		case <-timer.C:
		case <-r.wake:
		}
	}
}

// next takes the outcomes to write now, or says how long to wait. The wait is zero when nothing is left to wait for.
func (r *recorder) next() ([]outcome, time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	if r.away && !r.hurried && now.Before(r.again) {
		return nil, r.again.Sub(now)
	}
	wait := time.Hour // until something is added
	for i, o := range r.refused {
		if r.hurried || !now.Before(o.due) {
			r.refused = slices.Delete(r.refused, i, i+1)
			return []outcome{o}, 0
		}
		wait = min(wait, o.due.Sub(now))
	}
	if r.waiting.Len() > 0 {
		if rest := r.gathers(now); rest > 0 {
			return nil, min(wait, rest)
		}
		return r.gather(), 0
	}
	if r.closed && len(r.refused) == 0 {
		return nil, 0
	}
	return nil, wait
}

// gather takes a batch of the waiting outcomes, some from each turn.
func (r *recorder) gather() (batch []outcome) {
	for most := r.most(); len(batch) < most && r.waiting.Len() > 0; {
		turn, some := r.waiting.Next(min(recordRound, most-len(batch)), fair.Any)
		if !turn.Bulk {
			r.people -= len(some)
		}
		batch = append(batch, some...)
	}
	return batch
}

// write writes a batch. If the store refuses it, each half is tried alone, so that all but the faulty outcome are
// written.
func (r *recorder) write(batch []outcome) {
	results := make([]core.SendResult, len(batch))
	for i, o := range batch {
		results[i] = o.result
	}
	err := r.record(results)
	away := r.note(err)
	switch {
	case err == nil:
		r.settle(batch, nil)
	case away:
		r.keep(batch, err)
	case len(batch) == 1:
		r.refuse(batch[0], err)
	default:
		half := len(batch) / 2
		r.write(batch[:half])
		r.write(batch[half:])
	}
}

// note records and returns whether the store is unavailable, as opposed to available and refusing the data.
func (r *recorder) note(err error) (away bool) {
	if away = errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrClosed) || errors.Is(err, context.DeadlineExceeded); away {
		r.trouble.Report(err)
	} else {
		r.trouble.Report(nil)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.away, r.again = away, r.now().Add(recordAgain)
	if away {
		r.tellAwaiting()
	}
	return away
}

// settle lets the conversations continue.
func (r *recorder) settle(batch []outcome, err error) {
	r.mu.Lock()
	r.kept -= len(batch)
	r.closeOpen(batch)
	r.mu.Unlock()
	for _, o := range batch {
		o.after(err)
	}
}

// keep queues a batch again, to be written when the store is back.
func (r *recorder) keep(batch []outcome, err error) {
	r.mu.Lock()
	hurried := r.hurried
	if !hurried {
		for _, o := range batch {
			r.put(o)
		}
	}
	r.mu.Unlock()
	if hurried {
		r.settle(batch, err)
	}
}

// refuse has an outcome that the store refuses tried again for a while. It delays its own conversation and no other.
func (r *recorder) refuse(o outcome, err error) {
	r.mu.Lock()
	over := r.hurried || o.tries == len(refusedAgain)
	if !over {
		o.due = r.now().Add(refusedAgain[o.tries])
		o.tries++
		r.refused = append(r.refused, o)
		r.closeOpen([]outcome{o})
	}
	r.mu.Unlock()
	if over {
		r.log.Error("the outcome of a send could not be written", "message", o.result.Work.Job.MessageID, "error", err)
		r.settle([]outcome{o}, err)
	}
}
