// Package contactjobs does bulk work on contacts: imports and their undoing, labels, deletions. It works in
// slices, each a transaction followed by a rest, so that sends do not wait. The job's row records the progress,
// so that any node can continue it.
package contactjobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/parleyhq/parley/internal/blob"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/fair"
	"github.com/parleyhq/parley/internal/part"
	"github.com/parleyhq/parley/internal/store"
)

const (
	// lookEvery is how late this node notices jobs that were started on another.
	lookEvery = 2 * time.Second
	// readAhead is the number of rows that are read before a step.
	readAhead = 500
	// atOnce is the number of jobs that run at once, and atOncePerOrg of one organization.
	atOnce, atOncePerOrg = 20, 2
	// inView is the number of jobs that are looked at, and inViewPerOrg of one organization: more than run at once, so that
	// jobs which cannot go on now do not hide the others.
	inView, inViewPerOrg = 1000, 20
	// turn is how long a job keeps its place while others wait for one. An import that goes on reads its file again from
	// the beginning, so it should not be much shorter.
	turn = 10 * time.Second
)

// Worker does the jobs of one node. Organizations take turns, and so do the jobs of each, so that many or large ones do
// not delay others.
type Worker struct {
	part.Life
	part.Bell
	store *store.Store
	blobs blob.Store
	log   *slog.Logger
	turn  time.Duration

	mu      sync.Mutex
	waiting fair.Rounds[string, string] // ids of jobs, by organization
	here    map[string]bool             // ids of jobs that wait or run here
	running map[string]int              // how many jobs of each organization run here
	free    int                         // places in which none runs
}

// New makes a worker.
func New(st *store.Store, blobs blob.Store, log *slog.Logger) *Worker {
	return &Worker{
		Life: part.NewLife(), Bell: part.NewBell(), store: st, blobs: blobs, log: log, turn: turn,
		here: map[string]bool{}, running: map[string]int{}, free: atOnce,
	}
}

// Start begins to look for jobs.
func (w *Worker) Start(context.Context) error {
	w.Every(lookEvery, w.Bell, w.look)
	return nil
}

// look notices jobs that are under way, and begins those that have a place. It does not wait for them.
func (w *Worker) look(ctx context.Context) {
	jobs, err := w.store.Read(ctx).ContactJobsUnderWay(inViewPerOrg, inView)
	if err != nil && ctx.Err() == nil {
		w.log.Warn("work on contacts", "error", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, job := range jobs {
		if !w.here[job.ID] {
			w.here[job.ID] = true
			w.waiting.Add(job.OrgID, job.ID)
		}
	}
	w.begin()
}

// begin starts waiting jobs in the free places. The caller holds the lock.
func (w *Worker) begin() {
	for w.free > 0 && !w.Ended() {
		orgID, next := w.waiting.Next(1, w.mayBegin)
		if len(next) == 0 {
			return
		}
		w.free--
		w.running[orgID]++
		w.Go(func(ctx context.Context) { w.hold(ctx, orgID, next[0]) })
	}
}

func (w *Worker) mayBegin(orgID string) bool { return w.running[orgID] < atOncePerOrg }

// hold runs a job in a place, and gives the place to another. A job that cannot go on now, or goes on elsewhere, is not
// tried again before the next look.
func (w *Worker) hold(ctx context.Context, orgID, id string) {
	elsewhere, err := w.doJob(ctx, orgID, id)
	if err != nil && ctx.Err() == nil {
		w.log.Warn("work on contacts", "job", id, "error", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.here, id)
	w.free++
	if w.running[orgID]--; w.running[orgID] == 0 {
		delete(w.running, orgID)
	}
	w.begin()
	if err == nil && !elsewhere {
		w.Wake() // it may be to go on, or to be undone
	}
}

// wanted reports whether another job waits for the place of one of an organization.
func (w *Worker) wanted(orgID string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, waits := w.waiting.First(func(other string) bool { return other == orgID || w.free == 0 && w.mayBegin(other) })
	return waits
}

// doJob continues a job until it is finished, undone, or taken by another node, or until its turn is over.
func (w *Worker) doJob(ctx context.Context, orgID, id string) (elsewhere bool, err error) {
	ctx = store.WithTurn(ctx, store.Turn{OrgID: orgID, Bulk: true})
	job, err := w.store.Read(ctx).ContactJob(orgID, id)
	if err != nil {
		return false, err
	}
	one := &run{worker: w, steps: w.store.Steps().Brisk(), job: job}
	defer one.close()
	var end store.Moment
	for one.under(job.Status) {
		if err := one.step(ctx); err != nil || one.elsewhere {
			return one.elsewhere, err
		}
		if end.IsZero() { // after the first step, before which a file may have been read for long
			end = w.store.Moment().Add(w.turn)
		}
		if !w.store.Moment().Before(end) && w.wanted(orgID) {
			return false, nil
		}
	}
	return false, nil
}

// run is a job that runs on this node.
type run struct {
	worker    *Worker
	steps     *store.Steps
	job       chat.ContactJob
	elsewhere bool // another node runs it

	file   *importFile
	closer io.Closer
	ahead  []readRow
	ended  string // why the file ends early, if it does
	atEnd  bool
}

// readRow is a row with the position after it.
type readRow struct {
	chat.ImportRow
	offset int64
}

func (r *run) under(status chat.ContactJobStatus) bool {
	return r.job.Status == status && (status == chat.JobRunning || status == chat.JobUndoing)
}

func (r *run) close() {
	if r.closer != nil {
		r.closer.Close()
	}
	r.file, r.closer, r.ahead, r.atEnd, r.ended = nil, nil, nil, false, ""
}

// step does one slice.
func (r *run) step(ctx context.Context) error {
	if r.job.Kind == chat.JobImport && r.job.Status == chat.JobRunning {
		err := r.readAhead(ctx)
		if errors.Is(err, blob.ErrUnavailable) || ctx.Err() != nil {
			r.close() // a later step starts from the job's position
			return err
		}
		if err != nil {
			return r.fail(ctx, err)
		}
	}
	var now chat.ContactJob
	var taken int
	var free bool
	_, _, err := r.steps.Do(ctx, func(tx *store.Tx, rows int) (n int64, err error) {
		if free, err = tx.TryLock("contact job " + r.job.ID); err != nil || !free {
			return 0, err
		}
		if now, err = tx.ContactJob(r.job.OrgID, r.job.ID); err != nil {
			return 0, err
		}
		if now.Status != r.job.Status || now.Position != r.job.Position { // another node continued it, or it is to be undone
			taken = 0
			return 0, nil
		}
		now, taken, n, err = r.slice(tx, now, rows)
		if err != nil {
			return 0, err
		}
		now.UpdatedAt = tx.Now()
		return n, tx.UpdateContactJob(now)
	})
	if _, refused := errors.AsType[*chat.Error](err); refused || errors.Is(err, store.ErrNotFound) {
		return r.fail(ctx, err)
	}
	if err != nil {
		return err
	}
	r.elsewhere = !free
	moved := now.Position != r.job.Position
	r.job = now
	if r.ahead = r.ahead[taken:]; moved && taken == 0 {
		r.close() // the open file is at another position than the job
	}
	return nil
}

// slice does the next part of a job, in a transaction.
func (r *run) slice(tx *store.Tx, job chat.ContactJob, rows int) (now chat.ContactJob, taken int, n int64, err error) {
	switch {
	case job.Kind != chat.JobImport:
		now, n, err = core.BulkSlice(tx, job, rows)
		return now, 0, n, err
	case job.Status == chat.JobUndoing:
		now, err = undo(tx, job)
		return now, 0, 1, err
	default:
		return r.importSome(tx, job, rows)
	}
}

func undo(tx *store.Tx, job chat.ContactJob) (chat.ContactJob, error) {
	if job.Slices == 0 {
		job.Status = chat.JobUndone
		return job, nil
	}
	job, err := core.UndoSlice(tx, job)
	job.Done = job.Total - job.Slices
	job.Position = "undo " + strconv.FormatInt(job.Slices, 10)
	return job, err
}

func (r *run) importSome(tx *store.Tx, job chat.ContactJob, limit int) (chat.ContactJob, int, int64, error) {
	var task chat.ContactImport
	if err := json.Unmarshal(job.Task, &task); err != nil {
		return job, 0, 0, err
	}
	account, err := core.AccountByNumber(tx.Reader, job.OrgID, task.Number)
	if err != nil {
		return job, 0, 0, err
	}
	taken := min(limit, len(r.ahead))
	rows := make([]chat.ImportRow, taken)
	for i := range rows {
		rows[i] = r.ahead[i].ImportRow
	}
	if taken > 0 {
		last := r.ahead[taken-1]
		job.Done, job.Position = last.offset, position(last)
	}
	if taken == len(r.ahead) && r.atEnd {
		if r.ended != "" {
			rows = append(rows, chat.ImportRow{Row: r.file.row + 1, Cells: []string{}, Problem: r.ended})
		}
		job.Status, job.Done = chat.JobDone, job.Total
		if err := tx.ForgetJobFile(&job); err != nil {
			return job, 0, 0, err
		}
	}
	job, err = core.ImportSlice(tx, account, job, *task.Mapping, rows)
	return job, taken, int64(taken), err
}

// position is a job's place in its file: bytes and rows.
func position(row readRow) string { return fmt.Sprintf("%d %d", row.offset, row.Row) }

// RowsOf is the number of rows that an import has done, without the header.
func RowsOf(job chat.ContactJob) int64 {
	_, text, _ := strings.Cut(job.Position, " ")
	row, _ := strconv.ParseInt(text, 10, 64)
	var task chat.ContactImport
	if json.Unmarshal(job.Task, &task) == nil && task.Mapping != nil && task.Mapping.Header && row > 0 {
		row--
	}
	return row
}

// readAhead reads enough rows for a step. A newly opened file is read from its beginning, so that earlier
// numbers are known.
func (r *run) readAhead(ctx context.Context) error {
	if r.file == nil {
		if err := r.open(ctx); err != nil {
			return err
		}
	}
	offset, _, _ := strings.Cut(r.job.Position, " ")
	done, _ := strconv.ParseInt(offset, 10, 64)
	for len(r.ahead) < readAhead && !r.atEnd {
		row, err := r.file.next()
		if errors.Is(err, blob.ErrUnavailable) {
			return err
		}
		if err != nil {
			if r.atEnd = true; err != io.EOF {
				r.ended = "From here on the file cannot be read: " + err.Error() + "."
			}
			return nil
		}
		if r.file.offset > done {
			r.ahead = append(r.ahead, readRow{row, r.file.offset})
		}
	}
	return nil
}

func (r *run) open(ctx context.Context) error {
	var task chat.ContactImport
	if err := json.Unmarshal(r.job.Task, &task); err != nil {
		return err
	}
	if r.job.BlobKey == nil {
		return errors.New("its file is gone")
	}
	f, err := r.worker.blobs.Get(ctx, *r.job.BlobKey)
	if err != nil {
		return err
	}
	r.closer = f
	r.file, err = newImportFile(f, task)
	return err
}

// fail ends a job that cannot continue.
func (r *run) fail(ctx context.Context, cause error) error {
	r.worker.log.Error("work on contacts ended", "job", r.job.ID, "error", cause)
	return r.worker.store.InTx(ctx, func(tx *store.Tx) error {
		job, err := tx.ContactJob(r.job.OrgID, r.job.ID)
		if err != nil {
			return err
		}
		if job.Status != r.job.Status { // another node ended it meanwhile
			r.job = job
			return nil
		}
		job.Status, job.Reason, job.UpdatedAt = chat.JobFailed, "Something went wrong on our side.", tx.Now()
		if refused, ok := errors.AsType[*chat.Error](cause); ok {
			job.Reason = refused.Message
		}
		r.job = job
		return tx.UpdateContactJob(job)
	})
}
