package store

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

const (
	// writerQueue is how many transactions may wait; past it the store says it is overloaded.
	writerQueue = 4096
	// writerBatch and writerTime bound what one commit carries, and with it how long the first in
	// a batch waits for the last.
	writerBatch = 256
	writerTime  = 20 * time.Millisecond
)

// sqliteWriter runs transactions one after the other on one connection and commits those that
// wait together as one: durable, at the price of one sync per batch, which the journal does. One
// that fails takes nothing but itself back: then the batch runs again, each under a savepoint.
type sqliteWriter struct {
	conn    *sqliteConn
	journal *sqliteJournal
	memory  *sqliteMemory
	others  int64 // what SQLite says of other connections' commits: another number, another commit
	queue   chan *sqliteJob
	time    time.Duration // that one transaction may take
	batch   []*sqliteJob  // what run works on
	done    chan struct{}

	mu     sync.RWMutex // guards closed against sends on the queue
	closed bool
}

type sqliteJob struct {
	ctx    context.Context
	body   func(session) error
	err    error
	panic  *closurePanic
	exited bool // the closure ended its goroutine
	done   chan struct{}
}

// broke tells whether the closure did not return.
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
	w := &sqliteWriter{conn: conn, journal: journal, memory: memory, queue: make(chan *sqliteJob, writerQueue), time: writerTime, done: make(chan struct{})}
	conn.onLoss = memory.endWriting
	go w.run()
	return w
}

// do hands body to the writer and waits for its outcome. It does not return early when ctx
// ends: the writer looks at ctx itself, and its answer is the true one.
func (w *sqliteWriter) do(ctx context.Context, body func(session) error) error {
	job := &sqliteJob{ctx: ctx, body: body, done: make(chan struct{})}
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
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return ErrClosed
	}
	select {
	case w.queue <- job:
		return nil
	default:
		return fmt.Errorf("%w: %d transactions are waiting", ErrUnavailable, writerQueue)
	}
}

// stop finishes what is queued.
func (w *sqliteWriter) stop() {
	w.mu.Lock()
	already := w.closed
	w.closed = true
	if !already {
		close(w.queue)
	}
	w.mu.Unlock()
	<-w.done
}

func (w *sqliteWriter) run() {
	over := false
	defer func() {
		if !over {
			go w.takeOver()
		}
	}()
	w.work() // on what takeOver left
	for job := range w.queue {
		w.gather(job)
		w.work()
	}
	over = true
	close(w.journal.commits)
	<-w.journal.done
	w.conn.close()
	close(w.done)
}

// takeOver replaces a goroutine that a closure has ended (runtime.Goexit). What else was in its
// batch runs again.
func (w *sqliteWriter) takeOver() {
	w.end("ROLLBACK")
	w.run()
}

// gather takes what else is waiting, without waiting for more.
func (w *sqliteWriter) gather(first *sqliteJob) {
	w.batch = append(w.batch, first)
	for len(w.batch) < writerBatch {
		select {
		case job, ok := <-w.queue:
			if !ok {
				return
			}
			w.batch = append(w.batch, job)
		default:
			return
		}
	}
}

func (w *sqliteWriter) work() {
	for len(w.batch) > 0 {
		w.journal.copier.beginAnew(w.conn)
		n := w.commit(w.batch)
		finished := w.batch[:n:n]
		w.batch = w.batch[n:]
		w.journal.commits <- finished
	}
}

// commit runs jobs of the batch as one transaction, and returns how many, at least one.
func (w *sqliteWriter) commit(batch []*sqliteJob) int {
	if err := w.journal.broken.err(); err != nil {
		failAll(batch, err)
		return len(batch)
	}
	n, clean, err := w.attempt(batch, w.runBare)
	if err == nil && !clean {
		w.end("ROLLBACK")
		n, _, err = w.attempt(batch, w.runGuarded)
	}
	if err == nil {
		err = w.end("COMMIT")
	}
	if err != nil {
		// The transaction itself is gone: so is all that ran in it.
		w.end("ROLLBACK")
		failAll(batch[:n], err)
	}
	return n
}

// attempt runs jobs in a new transaction until none is left or the others have waited long enough,
// and returns how many it met. It reports false when they must run again.
func (w *sqliteWriter) attempt(batch []*sqliteJob, run func(*sqliteJob) (bool, error)) (n int, clean bool, err error) {
	if err := w.begin(); err != nil {
		return len(batch), false, err
	}
	begin := time.Now()
	for i, job := range batch {
		if i > 0 && time.Since(begin) > w.time {
			return i, true, nil
		}
		if clean, err := run(job); err != nil || !clean {
			return i + 1, false, err
		}
	}
	return len(batch), true, nil
}

// runBare runs a closure with nothing to undo it by. It reports false when that is needed: the
// closure failed and had written before. Few do, and a savepoint is a cost to all the others. It
// returns an error only when the transaction is lost.
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

// runGuarded runs a closure under a savepoint. It returns an error only when the transaction is lost
// or the savepoint itself fails; the closure's outcome is in the job.
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

// callBody runs a closure, whose outcome is in the job. It returns an error when the transaction did not
// survive it.
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
		job.exited = true // recover cannot stop that: takeOver follows
	}()
	job.err = job.body(w.conn)
	if job.err == nil {
		job.err = job.ctx.Err()
	}
	finished = true
}

// begin starts a transaction, in which no other process can write, and looks whether one has.
func (w *sqliteWriter) begin() error {
	if err := w.control("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	w.conn.transaction, w.conn.lostBy = true, nil
	before := w.others
	err := w.conn.query(context.Background(), "PRAGMA data_version", nil, func(row scanner) error { return row.Scan(&w.others) })
	if err == nil {
		w.memory.writing(w.others != before)
	}
	return err
}

// end ends a transaction. What it has changed of the steady tables is forgotten before anyone is told.
func (w *sqliteWriter) end(how string) error {
	w.memory.endWriting()
	err := w.control(how)
	w.conn.transaction = false
	if w.conn.unsteady {
		w.memory.changed()
		w.conn.unsteady = false
	}
	return err
}

func (w *sqliteWriter) control(sql string) error {
	_, err := w.conn.exec(context.Background(), sql, nil)
	return err
}

// failAll gives the batch's error to every job but those that were called off. One that was refused is
// told so, too: it may have been refused for what a neighbour had written, and that is gone.
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
