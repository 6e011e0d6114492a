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
	// other writers do not wait long. On SQLite, while several organizations come, it is crowdedBatch.
	recordBatch, crowdedBatch = 64, 24
	// recordDeliveries is how many deliveries of their events outcomes may have that are written together on PostgreSQL,
	// unless a single one has more. On SQLite those are written in steps.
	recordDeliveries = 192
	// recordFewest is how many outcomes of a turn share a transaction with others' on PostgreSQL, where each transaction has
	// its cost: one such transaction at a time. On SQLite all share a commit anyway.
	recordFewest = 8
	// recorders is how many batches are written at a time on PostgreSQL, each on a connection, and sharers on SQLite.
	recorders, sharers = 4, 16
	// recordGather is how long outcomes of broadcasts wait for others, unless recordFew of them wait already or there is
	// a person's: written by fours and fives, they would cost more than the sending.
	recordGather = 50 * time.Millisecond
	recordFew    = 32
	// maxUnrecorded bounds the outcomes that wait for the store, and orgUnrecorded those of one organization. Above them no
	// more messages are sent.
	maxUnrecorded = 4096
	orgUnrecorded = maxUnrecorded / 2
	// recordTimeout ends a write that the store does not answer.
	recordTimeout = 10 * time.Second
	// proofTime is how long a store that has not answered has to show that it answers others.
	proofTime = time.Second
	// recordAgain is how soon an unavailable store is tried again.
	recordAgain = 200 * time.Millisecond
	// recordPatience is how long callbacks let outcomes be written first.
	recordPatience = 500 * time.Millisecond
)

// refusedAgain is how long an outcome waits each time that the store is available but refuses it. After the last wait
// it is given up.
var refusedAgain = []time.Duration{100 * time.Millisecond, time.Second, 5 * time.Second, 10 * time.Second}

// errLocked means that the store has not written outcomes in time, because somebody holds the rows that they need.
var errLocked = errors.New("somebody holds rows that the outcomes need")

// recorder writes outcomes in batches, several at a time. A batch is of one turn, and has what came in while the turn's last
// one was written; those of broadcasts gather a little longer. So nobody's outcomes wait until the deliveries of another
// organization's events are written. The recorder keeps each outcome until it is written, however long the store is
// unavailable, because a message without a known outcome is sent again.
type recorder struct {
	record  func([]core.SendResult) error
	by      batches
	now     func() store.Moment
	log     *slog.Logger
	trouble *logging.Episode
	wake    part.Bell
	done    chan struct{}

	mu      sync.Mutex
	waiting fair.Rounds[store.Turn, outcome] // to be written together, in any order: no two belong to one conversation
	refused []outcome                        // to be written alone, each when it is due, and one at a time
	alone   bool                             // one of these is being written
	locked  map[string]int                   // those whose rows are locked, by organization
	bulk    int                              // those in waiting that are of broadcasts
	since   store.Moment                     // when the first of these came
	writing int                              // batches that are being written
	busy    map[store.Turn]bool              // turns with a batch that is being written
	sharing bool                             // one of these batches is shared
	kept    int                              // all outcomes that are not written
	orgs    map[string]int                   // the same by organization
	open    map[string]bool                  // ids of the messages whose outcomes are waiting or being written
	written chan struct{}                    // closed when some of them are no longer open
	away    bool                             // the last write found the store unavailable
	again   store.Moment                     // when the store is tried next, if away
	closed  bool                             // nothing more is added
	hurried bool                             // an outcome that the store does not take now is given up
}

// batches is how outcomes are put together.
type batches struct {
	most   func(orgID string) int // outcomes of an organization in a batch
	fewest int                    // a turn with at most as many shares a batch with others
	atOnce int                    // batches that are written at a time
}

type outcome struct {
	result core.SendResult
	after  func(error)
	tries  int // how often the store refused it
	due    store.Moment
	locked bool // somebody held its rows when it was last tried alone
}

func (o outcome) turn() store.Turn { return queued{SendWork: o.result.Work}.turn() }

// batch is outcomes to be written together, of turns that have no other.
type batch struct {
	outcomes []outcome
	turns    []store.Turn
	alone    bool // it is an outcome that the store has refused
	shared   bool // by turns with few outcomes
}

func startRecorder(s *Sender) *recorder {
	by := batches{most: s.fittingReach, fewest: recordFewest, atOnce: recorders}
	if s.cfg.Store.Alone() {
		by = batches{most: s.fitting, atOnce: sharers}
	}
	return newRecorder(s.record, by, s.cfg.Store.Moment, s.cfg.Log, logging.NewEpisode(s.cfg.Log, s.cfg.Metrics.registry, "send outcomes",
		"the outcomes of sends cannot be written; nothing more is sent until they are", "the outcomes of sends are written again"))
}

// fitting is how many outcomes one transaction writes on SQLite.
func (s *Sender) fitting(string) int {
	if s.cfg.Store.Crowded() {
		return crowdedBatch
	}
	return recordBatch
}

// learn remembers how many deliveries the outcomes have caused.
func (s *Sender) learn(tx *store.Tx, results []core.SendResult) {
	of := map[string]int{}
	for _, r := range results {
		of[r.Work.Job.OrgID]++
	}
	s.reachMu.Lock()
	defer s.reachMu.Unlock()
	for orgID, n := range of {
		s.reach.Learn(orgID, tx.Delivered(orgID)/n)
	}
}

// fittingReach is how many outcomes of an organization one transaction writes on PostgreSQL.
func (s *Sender) fittingReach(orgID string) int {
	s.reachMu.Lock()
	defer s.reachMu.Unlock()
	if each := s.reach.Of(orgID); each > 0 {
		return max(1, recordDeliveries/each)
	}
	return recordBatch
}

// newRecorder makes and starts a recorder.
func newRecorder(record func([]core.SendResult) error, by batches, now func() store.Moment, log *slog.Logger, trouble *logging.Episode) *recorder {
	r := &recorder{
		record: record, by: by, now: now, log: log, trouble: trouble, wake: part.NewBell(), done: make(chan struct{}),
		busy: map[store.Turn]bool{}, orgs: map[string]int{}, locked: map[string]int{}, open: map[string]bool{}, written: make(chan struct{}),
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
		return s.cfg.Store.InTx(ctx, func(tx *store.Tx) error {
			tx.AfterCommit(func() { s.learn(tx, results) })
			return core.RecordSends(tx, results)
		})
	}
	if slices.ContainsFunc(results, func(r core.SendResult) bool { return !(queued{SendWork: r.Work}).bulk() }) {
		return s.orLocked(write())
	}
	return s.orLocked(s.cfg.Store.Aside(ctx, write))
}

// orLocked tells a write for which rows were missing from one that the whole store has not answered.
func (s *Sender) orLocked(err error) error {
	if !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), proofTime)
	defer cancel()
	if s.cfg.Store.Writable(ctx) != nil {
		return err
	}
	return errLocked
}

// commonTurn is the turn of outcomes that all have the same one, which pays for the store's time. Else it is the program's
// own.
func commonTurn(results []core.SendResult) store.Turn {
	turn := outcome{result: results[0]}.turn()
	if slices.ContainsFunc(results, func(r core.SendResult) bool { return (outcome{result: r}).turn() != turn }) {
		return store.Turn{}
	}
	return turn
}

// add takes an outcome. It never blocks: behind limits how many can come.
func (r *recorder) add(result core.SendResult, after func(error)) {
	r.mu.Lock()
	r.put(outcome{result: result, after: after})
	r.open[result.Work.Job.MessageID] = true
	r.count(result, 1)
	r.mu.Unlock()
	r.wake.Wake()
}

// count changes how many outcomes are not written.
func (r *recorder) count(result core.SendResult, by int) {
	r.kept += by
	orgID := result.Work.Job.OrgID
	if r.orgs[orgID] += by; r.orgs[orgID] == 0 {
		delete(r.orgs, orgID)
	}
}

// put queues an outcome in its turn. Outcomes of people's messages and of broadcasts have separate ones.
func (r *recorder) put(o outcome) {
	turn := o.turn()
	if turn.Bulk {
		if r.bulk == 0 {
			r.since = r.now()
		}
		r.bulk++
	}
	r.waiting.Add(turn, o)
}

// gathers is how long the outcomes of broadcasts still wait for others.
func (r *recorder) gathers(now store.Moment) time.Duration {
	if r.bulk == 0 || r.bulk >= recordFew || r.closed || r.hurried {
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
func (r *recorder) closeOpen(outcomes []outcome) {
	for _, o := range outcomes {
		delete(r.open, o.result.Work.Job.MessageID)
	}
	r.tellAwaiting()
}

func (r *recorder) tellAwaiting() {
	close(r.written)
	r.written = make(chan struct{})
}

// behind tells whether no message of the organization should be sent now, because its outcome would have to wait.
func (r *recorder) behind(orgID string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.away || r.kept >= maxUnrecorded || r.orgs[orgID] >= orgUnrecorded
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

// run begins batches until the recorder is stopped and everything is written.
func (r *recorder) run() {
	defer close(r.done)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		b, wait := r.next()
		switch {
		case len(b.outcomes) > 0:
			go func() {
				r.write(b.outcomes)
				r.wrote(b)
			}()
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
func (r *recorder) next() (batch, time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	if r.away && !r.hurried && now.Before(r.again) {
		return batch{}, r.again.Sub(now)
	}
	wait := time.Hour // until something is added or written
	if r.writing == r.by.atOnce {
		return batch{}, wait
	}
	b, due := r.takeRefused(now)
	if b.alone {
		return b, 0
	}
	wait = min(wait, due)
	rest := r.gathers(now)
	if b := r.gather(rest == 0); len(b.outcomes) > 0 {
		return b, 0
	}
	if rest > 0 {
		wait = min(wait, rest)
	}
	if r.closed && r.writing+r.waiting.Len()+len(r.refused) == 0 {
		return batch{}, 0
	}
	return batch{}, wait
}

// takeRefused takes an outcome that the store has refused and that is due, or says how long to wait for one. Those that
// are hardly locked go first: each attempt at a locked one takes recordTimeout.
func (r *recorder) takeRefused(now store.Moment) (b batch, wait time.Duration) {
	wait = time.Hour
	if r.alone && !r.hurried {
		return batch{}, wait
	}
	best := -1
	for i, o := range r.refused {
		if !r.hurried && now.Before(o.due) {
			wait = min(wait, o.due.Sub(now))
		} else if best < 0 || r.doubt(o) < r.doubt(r.refused[best]) {
			best = i
		}
	}
	if best < 0 {
		return batch{}, wait
	}
	o := r.refused[best]
	r.refused = slices.Delete(r.refused, best, best+1)
	r.writing++
	r.alone = true
	return batch{outcomes: []outcome{o}, alone: true}, 0
}

// doubt is the greater, the more likely an outcome's rows are locked.
func (r *recorder) doubt(o outcome) int {
	switch {
	case o.locked:
		return 2
	case r.locked[o.result.Work.Job.OrgID] > 0:
		return 1
	default:
		return 0
	}
}

// gather takes a batch of the waiting outcomes, with those of broadcasts only if they have gathered.
func (r *recorder) gather(gathered bool) (b batch) {
	may := func(t store.Turn) bool { return !r.busy[t] && (gathered || !t.Bulk) }
	few := func(t store.Turn) bool {
		return may(t) && r.waiting.Waits(t) <= r.by.fewest && r.by.most(t.OrgID) == recordBatch && r.locked[t.OrgID] == 0
	}
	turn, ok := r.waiting.First(func(t store.Turn) bool {
		b.shared = few(t)
		return may(t) && !(r.sharing && b.shared)
	})
	if !ok {
		return batch{}
	}
	r.writing++
	r.sharing = r.sharing || b.shared
	r.take(&b, turn)
	for b.shared && len(b.outcomes)+r.by.fewest <= recordBatch {
		if turn, ok = r.waiting.First(few); !ok {
			break
		}
		r.take(&b, turn)
	}
	return b
}

// take adds outcomes of a turn to a batch.
func (r *recorder) take(b *batch, turn store.Turn) {
	_, some := r.waiting.Next(r.by.most(turn.OrgID), func(t store.Turn) bool { return t == turn })
	if turn.Bulk {
		r.bulk -= len(some)
	}
	r.busy[turn] = true
	b.outcomes, b.turns = append(b.outcomes, some...), append(b.turns, turn)
}

// wrote lets the next batches of the same turns follow.
func (r *recorder) wrote(b batch) {
	r.mu.Lock()
	r.writing--
	r.sharing = r.sharing && !b.shared
	r.alone = r.alone && !b.alone
	for _, turn := range b.turns {
		delete(r.busy, turn)
	}
	r.mu.Unlock()
	r.wake.Wake()
}

// write writes outcomes. If the store refuses it, each half is tried alone, so that all but the faulty outcome are
// written. If rows are locked, which takes recordTimeout to find out, each is tried alone later, beside other batches.
func (r *recorder) write(outcomes []outcome) {
	results := make([]core.SendResult, len(outcomes))
	for i, o := range outcomes {
		results[i] = o.result
	}
	err := r.record(results)
	away := r.note(err)
	switch {
	case err == nil:
		r.settle(outcomes, nil)
	case away:
		r.keep(outcomes, err)
	case len(outcomes) == 1 || errors.Is(err, errLocked):
		for _, o := range outcomes {
			r.refuse(o, err, len(outcomes) == 1)
		}
	default:
		half := len(outcomes) / 2
		r.write(outcomes[:half])
		r.write(outcomes[half:])
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
func (r *recorder) settle(outcomes []outcome, err error) {
	r.mu.Lock()
	for _, o := range outcomes {
		r.count(o.result, -1)
		r.setLocked(&o, false)
	}
	r.closeOpen(outcomes)
	r.mu.Unlock()
	for _, o := range outcomes {
		o.after(err)
	}
}

// keep queues outcomes again, to be written when the store is back.
func (r *recorder) keep(outcomes []outcome, err error) {
	r.mu.Lock()
	hurried := r.hurried
	if !hurried {
		for _, o := range outcomes {
			r.put(o)
		}
	}
	r.mu.Unlock()
	if hurried {
		r.settle(outcomes, err)
	}
}

// setLocked notes whether an outcome's rows are locked. The caller holds the lock.
func (r *recorder) setLocked(o *outcome, locked bool) {
	if o.locked == locked {
		return
	}
	orgID := o.result.Work.Job.OrgID
	if o.locked = locked; locked {
		r.locked[orgID]++
	} else if r.locked[orgID]--; r.locked[orgID] == 0 {
		delete(r.locked, orgID)
	}
}

// refuse has an outcome that the store refuses tried again for a while, or until the rows that it needs are free. It
// delays its own conversation and no other. alone says that it was tried alone.
func (r *recorder) refuse(o outcome, err error, alone bool) {
	r.mu.Lock()
	over := r.hurried || o.tries == len(refusedAgain)
	if alone {
		r.setLocked(&o, errors.Is(err, errLocked))
	}
	if !over {
		o.due = r.now().Add(refusedAgain[o.tries])
		if !errors.Is(err, errLocked) {
			o.tries++
		}
		r.refused = append(r.refused, o)
		r.closeOpen([]outcome{o})
	}
	r.mu.Unlock()
	if over {
		r.log.Error("the outcome of a send could not be written", "message", o.result.Work.Job.MessageID, "error", err)
		r.settle([]outcome{o}, err)
	}
}
