package store

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/parleyhq/parley/internal/fair"
)

const (
	// writerQueue is how many transactions may wait. Beyond it the store is overloaded. One organization may
	// use half of it.
	writerQueue = 4096
	// writerBatch and writerTime bound one commit, and thereby how long the first transaction of a batch waits
	// for the last. A batch with several turns ends after sharedTime, once the previous batch is on the disk:
	// before that nobody would be answered sooner, and a larger commit is less to write. One with several
	// organizations ends after severalTime, once at most one turn waits: those who have much to do go on in the
	// next, and the others are answered. The turn that uses most of the writer's time has commits of its own.
	writerBatch = 256
	writerTime  = 20 * time.Millisecond
	sharedTime  = 4 * time.Millisecond
	severalTime = time.Millisecond
	// gatherTime bounds how long a batch that has run all its jobs waits for others.
	gatherTime = 2 * time.Millisecond
)

// sqliteWriter runs transactions one after the other on one connection, and commits those that wait together.
// Each batch costs one sync, which the journal does. If a transaction fails, only that one is undone: the batch
// runs again, each transaction under a savepoint.
type sqliteWriter struct {
	conn    *sqliteConn
	journal *sqliteJournal
	others  int64         // SQLite's counter of other connections' commits
	time    time.Duration // limit for one transaction
	pause   time.Duration // limit for waiting for more of them
	clock   func() time.Time
	batch   []*sqliteJob // the jobs of the current commit
	done    chan struct{}

	mu     sync.Mutex
	queue  *fair.Turns[Turn, *sqliteJob]
	closed bool
	wake   chan struct{} // a job was queued, or the writer stops
}

type sqliteJob struct {
	ctx    context.Context
	turn   Turn
	body   func(session) error
	err    error
	panic  *closurePanic
	exited bool // the closure ended its goroutine
	done   chan struct{}
}

// broke reports whether the closure did not return.
func (j *sqliteJob) broke() bool { return j.panic != nil || j.exited }

// closurePanic carries a panic from the writer's goroutine to the caller's.
type closurePanic struct {
	value any
	stack []byte
}

func (p *closurePanic) String() string {
	return fmt.Sprintf("%v\n\nin transaction:\n%s", p.value, p.stack)
}

func startSQLiteWriter(conn *sqliteConn, journal *sqliteJournal, memory *sqliteMemory) *sqliteWriter {
	conn.memory = memory
	w := &sqliteWriter{conn: conn, journal: journal, queue: fair.NewTurns[Turn, *sqliteJob](), time: writerTime, pause: gatherTime, clock: time.Now, done: make(chan struct{}), wake: make(chan struct{}, 1)}
	go w.run()
	return w
}

// do passes body to the writer and waits for its outcome. It does not return early when ctx ends, because the
// writer checks ctx itself and knows the outcome.
func (w *sqliteWriter) do(ctx context.Context, body func(session) error) error {
	job := &sqliteJob{ctx: ctx, turn: turnOf(ctx), body: body, done: make(chan struct{})}
	if err := w.enqueue(job); err != nil {
		return err
	}
	<-job.done
	switch {
	case job.panic != nil:
		panic(job.panic)
	case job.exited:
		runtime.Goexit()
	}
	return job.err
}

func (w *sqliteWriter) enqueue(job *sqliteJob) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch n := w.queue.Waits(job.turn); {
	case w.closed:
		return ErrClosed
	case w.queue.Len() >= writerQueue:
		return fmt.Errorf("%w: %d transactions are waiting", ErrUnavailable, writerQueue)
	case job.turn.OrgID != "" && n >= writerQueue/2:
		return fmt.Errorf("%w: %d transactions of the organization are waiting", ErrUnavailable, n)
	}
	w.queue.Add(job.turn, job)
	w.poke()
	return nil
}

func (w *sqliteWriter) poke() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// stop finishes the queued jobs.
func (w *sqliteWriter) stop() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.poke()
	<-w.done
}

func (w *sqliteWriter) run() {
	over := false
	defer func() {
		if !over {
			go w.takeOver()
		}
	}()
	w.work() // the rest of takeOver's batch
	for w.await() {
		w.work()
	}
	over = true
	close(w.journal.commits)
	<-w.journal.done
	w.conn.close()
	close(w.done)
}

// await waits for the first job of a batch. It returns false when the writer stops and no job is left.
func (w *sqliteWriter) await() bool {
	for !w.next() {
		w.mu.Lock()
		over := w.closed && w.queue.Len() == 0
		w.mu.Unlock()
		if over {
			return false
		}
		<-w.wake
	}
	return true
}

// next adds the next job by turn to the batch, if one waits.
func (w *sqliteWriter) next() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, job, ok := w.queue.Take()
	if ok {
		w.batch = append(w.batch, job)
	}
	return ok
}

// takeOver replaces a goroutine that a closure has ended (runtime.Goexit). The other jobs of its batch run
// again.
func (w *sqliteWriter) takeOver() {
	w.end("ROLLBACK")
	w.run()
}

func (w *sqliteWriter) work() {
	for len(w.batch) > 0 {
		w.journal.copier.beginAnew(w.conn)
		n := w.commit()
		finished := w.batch[:n:n]
		w.batch = w.batch[n:]
		w.journal.unsaved.Add(1)
		w.journal.commits <- finished
	}
}

// commit runs the waiting jobs as one transaction, and returns how many, at least one.
func (w *sqliteWriter) commit() int {
	if err := w.journal.broken.err(); err != nil {
		failAll(w.batch, err)
		return len(w.batch)
	}
	n, clean, err := w.attempt(w.runBare)
	if err == nil && !clean {
		w.end("ROLLBACK")
		n, _, err = w.attempt(w.runGuarded)
	}
	if err == nil {
		err = w.end("COMMIT")
	}
	if err != nil {
		// SQLite has given up the transaction, and everything in it is undone.
		w.end("ROLLBACK")
		failAll(w.batch[:n], err)
	}
	return n
}

// attempt runs the waiting jobs in a new transaction, or fewer if those have waited long enough, and returns
// how many it took. It picks each job by turn when the previous one has ended, so that a newcomer may come
// before jobs that wait. It returns false if the jobs must run again.
func (w *sqliteWriter) attempt(run func(*sqliteJob) (bool, error)) (n int, clean bool, err error) {
	if err := w.begin(); err != nil {
		return len(w.batch), false, err
	}
	begin := w.clock()
	now, most, parties := begin, w.size(), company{}
	for i := 0; ; i++ {
		if i == len(w.batch) && !(i < most && w.next()) {
			if i == writerBatch || !w.gather(parties) || !w.next() {
				return i, true, nil
			}
			now = w.clock() // nobody is charged for the time in which there was nothing to do
		}
		job := w.batch[i]
		parties.add(job.turn)
		clean, err := run(job)
		now = w.charge(job, now)
		if err != nil || !clean {
			return i + 1, false, err
		}
		if w.enough(now.Sub(begin), parties) {
			return i + 1, true, nil
		}
	}
}

// gather waits for another job while earlier commits are synced. What is committed meanwhile would not be on the disk
// sooner, and a few large commits cost less than many small ones. It returns false if the batch is to be committed.
func (w *sqliteWriter) gather(parties company) bool {
	over := time.NewTimer(w.pause)
	defer over.Stop()
	for w.journal.unsaved.Load() > 0 {
		if w.waits() {
			return !w.enough(0, parties)
		}
		select {
		case <-w.wake:
		case <-w.journal.synced:
		case <-over.C:
			return false
		}
	}
	return false
}

// waits reports whether a job waits.
func (w *sqliteWriter) waits() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.queue.Len() > 0
}

// company is the turns whose jobs a batch has.
type company []Turn

func (c *company) add(t Turn) {
	if !slices.Contains(*c, t) {
		*c = append(*c, t)
	}
}

// several reports whether more than one organization waits for an answer.
func (c company) several() bool {
	first := slices.IndexFunc(c, Turn.waits)
	return first >= 0 && slices.ContainsFunc(c[first+1:], func(t Turn) bool { return t.waits() && t.OrgID != c[first].OrgID })
}

// besides reports whether anybody but one turn waits for an answer.
func (c company) besides(one Turn) bool {
	return slices.ContainsFunc(c, func(t Turn) bool { return t.waits() && t != one })
}

// enough reports whether a batch that took so long is to be committed, although more jobs wait.
func (w *sqliteWriter) enough(took time.Duration, parties company) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return took > w.time ||
		len(parties) > 1 && took > sharedTime && w.journal.unsaved.Load() == 0 ||
		parties.several() && took > severalTime && w.queue.Keys() <= 1 ||
		w.apart(parties)
}

// apart reports whether the next job belongs into another commit: either the batch has jobs of the turn that uses most of the
// writer's time, or that turn comes next. A commit takes as long as its jobs have written pages, and its sync does too;
// so those who use little neither wait for what the busiest has still to do, nor for pages that it has written meanwhile.
func (w *sqliteWriter) apart(parties company) bool {
	busiest, ok := w.queue.Busiest()
	next, waits := w.queue.Next()
	if !ok || !waits {
		return false
	}
	if next == busiest {
		return parties.besides(busiest)
	}
	return next.waits() && slices.Contains(parties, busiest)
}

// size is the greatest number of jobs in the batch. Jobs that arrive while it runs go into the next one, so
// that the writer has work while this one is synced and answered.
func (w *sqliteWriter) size() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return min(writerBatch, len(w.batch)+w.queue.Len())
}

// charge charges the time since a job began to its turn, and returns the current time.
func (w *sqliteWriter) charge(job *sqliteJob, begun time.Time) (now time.Time) {
	now = w.clock()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.queue.Charge(job.turn, now.Sub(begun))
	return now
}

// runBare runs a closure without a savepoint. It returns false if one is needed: the closure failed after it
// had written. That is rare, and a savepoint would cost all others. It returns an error only if the transaction
// is lost.
func (w *sqliteWriter) runBare(job *sqliteJob) (clean bool, err error) {
	if job.err = job.ctx.Err(); job.err != nil || job.broke() {
		return true, nil
	}
	w.conn.wrote = false
	if err := w.callBody(job); err != nil {
		return false, err
	}
	return job.err == nil && !job.broke() || !w.conn.wrote, nil
}

// runGuarded runs a closure under a savepoint. It returns an error only if the transaction is lost or the
// savepoint itself fails; the closure's outcome is in the job.
func (w *sqliteWriter) runGuarded(job *sqliteJob) (clean bool, err error) {
	if job.err = job.ctx.Err(); job.err != nil || job.broke() {
		return true, nil
	}
	if err := w.control("SAVEPOINT request"); err != nil {
		return false, err
	}
	if err := w.callBody(job); err != nil {
		return false, err
	}
	if job.err != nil || job.broke() {
		if err := w.control("ROLLBACK TO request"); err != nil {
			return false, err
		}
	}
	return true, w.control("RELEASE request")
}

// callBody runs a closure, whose outcome is in the job. It returns an error if the transaction did not survive
// it.
func (w *sqliteWriter) callBody(job *sqliteJob) error {
	w.protect(job)
	if w.conn.lost() {
		return w.conn.lossError()
	}
	return nil
}

// protect keeps a closure that does not return from ending the writer.
func (w *sqliteWriter) protect(job *sqliteJob) {
	finished := false
	defer func() {
		if finished {
			return
		}
		if value := recover(); value != nil {
			job.panic = &closurePanic{value: value, stack: debug.Stack()}
			return
		}
		job.exited = true // recover cannot stop that; takeOver follows
	}()
	job.err = job.body(w.conn)
	if job.err == nil {
		job.err = job.ctx.Err()
	}
	finished = true
}

// begin starts a transaction, and checks whether another process has written since the last one.
func (w *sqliteWriter) begin() error {
	if err := w.control("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	w.conn.transaction, w.conn.lostBy = true, nil
	before := w.others
	err := w.conn.query(context.Background(), "PRAGMA data_version", nil, func(row scanner) error { return row.Scan(&w.others) })
	if w.others != before {
		w.conn.memory.noticed()
	}
	return err
}

// end ends a transaction. Its changes of steady tables invalidate the cache before anyone is told.
func (w *sqliteWriter) end(how string) error {
	err := w.control(how)
	w.conn.transaction = false
	if w.conn.unsteady {
		w.conn.memory.changed()
		w.conn.unsteady = false
	}
	return err
}

func (w *sqliteWriter) control(sql string) error {
	_, err := w.conn.exec(context.Background(), sql, nil)
	return err
}

// failAll gives the batch's error to every job that was not cancelled. A refused job gets it too: it may have
// been refused because of another job's write, which is undone.
func failAll(batch []*sqliteJob, err error) {
	if !errors.Is(err, ErrUnavailable) {
		err = fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	for _, job := range batch {
		if job.err == nil || job.ctx.Err() == nil {
			job.err = err
		}
	}
}
