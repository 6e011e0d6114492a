package onboard

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/part"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

const (
	// sweepEvery is how often the worker looks for jobs that nobody woke it for: those of other nodes and of
	// commands, retries, and those left by a crash.
	sweepEvery = 5 * time.Second
	// holdFor is how long a job belongs to the node that took it, which renews that while it works on the job. If it runs
	// out, another node repeats the step, which does no harm.
	holdFor = 30 * time.Second
	// maxJobs is how many jobs of a kind a node works on at once. Purges can take hours, and nothing of a connected number
	// waits for them.
	maxJobs = 4
	// giveUpAfter is the provider's own deadline for importing a phone app's data.
	giveUpAfter = 24 * time.Hour
	firstRetry  = 5 * time.Second
	lastRetry   = time.Hour
)

// WorkerConfig configures the worker.
type WorkerConfig struct {
	Store    *store.Store
	Lease    func() store.Lease // of this process; without it the worker takes no jobs
	Provider provider.Signup
	// Token decrypts an account's token.
	Token func(chat.Account) (string, error)
	// PIN is as in Config.
	PIN func(phoneNumberID string) string
	// Connected lets other parts react to a connected number, for example by reading its templates. It is
	// called until it succeeds, so it may run more than once; nil: nothing.
	Connected func(context.Context, chat.Account) error
	Log       *slog.Logger
}

// Worker does the follow-up work of connected and disconnected numbers. Each job is a row until it is done, so
// that none is lost with the process.
type Worker struct {
	part.Life
	part.Bell
	cfg        WorkerConfig
	slots      map[store.AccountJobKind]chan struct{}
	renewEvery time.Duration
}

// NewWorker makes a worker.
func NewWorker(cfg WorkerConfig) *Worker {
	return &Worker{Life: part.NewLife(), Bell: part.NewBell(), cfg: cfg, renewEvery: holdFor / 3, slots: map[store.AccountJobKind]chan struct{}{
		store.JobConnected: make(chan struct{}, maxJobs), store.JobDisconnected: make(chan struct{}, maxJobs),
	}}
}

// Start begins the work. What is left at a stop is done after the next start.
func (w *Worker) Start(ctx context.Context) error {
	if w.cfg.Store.Alone() {
		if err := w.cfg.Store.InTx(ctx, (*store.Tx).FreeAccountJobs); err != nil {
			w.cfg.Log.Warn("jobs of an earlier start could not be freed", "error", err)
		}
	}
	w.SweepEvery(sweepEvery, w.Bell, w, func(err error) {
		if err != nil {
			w.cfg.Log.Warn("what follows connections could not be looked up", "error", err)
		}
	})
	return nil
}

// Sweep takes as many jobs of each kind as maxJobs allows.
func (w *Worker) Sweep(ctx context.Context) error {
	lease := w.cfg.Lease()
	if !lease.Holds(w.cfg.Store.Moment(), 0) {
		return nil
	}
	var jobs []store.AccountJob
	err := w.cfg.Store.InTx(ctx, func(tx *store.Tx) error {
		jobs = nil
		for kind, slots := range w.slots {
			claimed, err := tx.ClaimAccountJobs(kind, lease.Node, tx.Now().Add(holdFor), lastRetry, maxJobs-len(slots))
			if err != nil {
				return err
			}
			jobs = append(jobs, claimed...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, job := range jobs {
		slots := w.slots[job.Kind]
		slots <- struct{}{}
		w.Go(func(context.Context) {
			w.do(job)
			<-slots
			w.Wake() // a waiting job may use the free place
		})
	}
	return nil
}

// do works on a job, and postpones it if it fails.
func (w *Worker) do(job store.AccountJob) {
	held := &heldJob{worker: w, job: job, row: job}
	ended := make(chan struct{})
	w.Go(func(context.Context) { held.keep(ended) })
	defer close(ended)
	var err error
	switch job.Kind {
	case store.JobConnected:
		err = w.followConnection(held)
	case store.JobDisconnected:
		err = w.followDisconnection(held)
	}
	if err == nil || errors.Is(err, errLost) {
		return
	}
	if w.Ended() { // stopped: another node may go on at once
		held.release()
		return
	}
	attrs := []any{"account", job.AccountID, "after", job.Kind, "attempt", job.Attempts + 1, "error", err}
	if job.Kind == store.JobConnected && w.cfg.Store.Now().Sub(job.CreatedAt) > giveUpAfter {
		w.cfg.Log.Error("a connected number could not be completed", attrs...)
		held.finish(nil)
		return
	}
	w.cfg.Log.Warn("will be tried again", attrs...)
	if err := held.postpone(min(firstRetry<<min(job.Attempts, 20), lastRetry)); err != nil && !w.Ended() {
		w.cfg.Log.Warn("a retry could not be written", "account", job.AccountID, "error", err)
	}
}

// errLost says that another node has the job, or that it was put anew.
var errLost = errors.New("the job is not ours any more")

// heldJob is a job that this node has taken.
type heldJob struct {
	worker *Worker
	job    store.AccountJob

	mu   sync.Mutex       // one change of the row at a time
	row  store.AccountJob // as it is in the table
	over bool             // it was finished or given back
}

// keep renews the hold until the work has ended: the provider can be slow, and a number can have many templates.
func (h *heldJob) keep(ended <-chan struct{}) {
	tick := time.NewTicker(h.worker.renewEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := h.batch(nil); err != nil && !errors.Is(err, errLost) && !h.worker.Ended() {
				h.worker.cfg.Log.Warn("the hold of a job could not be renewed", "account", h.job.AccountID, "error", err)
			}
		case <-ended:
			return
		}
	}
}

// batch runs fn in a transaction that also renews the hold, so that only the holder changes anything.
func (h *heldJob) batch(fn func(*store.Tx) error) error {
	return h.write(h.worker.Context(), false, until(holdFor, h.job.Attempts), fn)
}

// postpone gives the job back until its next attempt.
func (h *heldJob) postpone(d time.Duration) error {
	return h.write(h.worker.Context(), true, until(d, h.job.Attempts+1), nil)
}

// release gives the job back at once.
func (h *heldJob) release() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(h.worker.Context()), 5*time.Second)
	defer cancel()
	if err := h.write(ctx, true, until(0, h.job.Attempts), nil); err != nil && !errors.Is(err, errLost) {
		h.worker.cfg.Log.Warn("a job could not be given back", "account", h.job.AccountID, "error", err)
	}
}

// finish runs fn and deletes the job, in one transaction.
func (h *heldJob) finish(fn func(*store.Tx) error) error {
	return h.write(h.worker.Context(), true, func(tx *store.Tx, row *store.AccountJob) (bool, error) { return tx.FinishAccountJob(*row) }, fn)
}

// until makes a job due in that time.
func until(d time.Duration, attempts int) func(*store.Tx, *store.AccountJob) (bool, error) {
	return func(tx *store.Tx, row *store.AccountJob) (bool, error) {
		due := tx.Now().Add(d)
		ours, err := tx.HoldAccountJob(*row, due, attempts)
		row.DueAt = due
		return ours, err
	}
}

// write changes the row and runs fn, in one transaction, if the job is still ours. over: it is not any more after that.
func (h *heldJob) write(ctx context.Context, over bool, change func(*store.Tx, *store.AccountJob) (bool, error), fn func(*store.Tx) error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over {
		return errLost
	}
	var row store.AccountJob
	err := h.worker.cfg.Store.InTx(ctx, func(tx *store.Tx) error {
		row = h.row
		ours, err := change(tx, &row)
		if err == nil && !ours {
			err = errLost
		}
		if err != nil || fn == nil {
			return err
		}
		return fn(tx)
	})
	if err == nil {
		h.row, h.over = row, over
	}
	return err
}

// followConnection subscribes to callbacks, registers the number if the page has not tried, requests the data of its
// phone app, and runs Connected. All of it can be repeated.
func (w *Worker) followConnection(h *heldJob) error {
	account, err := w.cfg.Store.Read(w.Context()).Account(h.job.OrgID, h.job.AccountID)
	if errors.Is(err, store.ErrNotFound) { // disconnected meanwhile
		return h.finish(nil)
	}
	if err != nil {
		return err
	}
	n, err := core.NumberOf(account, w.cfg.Token)
	if err != nil {
		return err
	}
	// Once more, because a disconnected number of the same business account may just have been
	// unsubscribed.
	if err := w.cfg.Provider.Subscribe(w.Context(), n); err != nil {
		return err
	}
	number, err := w.cfg.Provider.PhoneNumber(w.Context(), n)
	if err != nil {
		return err
	}
	if err := w.register(h, account, n, number); err != nil {
		return err
	}
	if err := w.importApp(n, account, number); err != nil {
		return err
	}
	if w.cfg.Connected != nil {
		if err := w.cfg.Connected(w.Context(), account); err != nil {
			return err
		}
	}
	w.cfg.Log.Info("the callbacks of a connected number are on, and its templates are read", "account", account.ID, "phone_number_id", n.PhoneNumberID)
	return h.finish(nil)
}

// register registers a number that a command has connected. It tries once: afterwards the account has the status that
// the provider reports, as it has when the page connects a number.
func (w *Worker) register(h *heldJob, account chat.Account, n provider.Number, number provider.PhoneNumber) error {
	if account.Status != chat.AccountConnected || number.ID == "" || !needsRegistration(number) {
		return nil
	}
	number = register(w.Context(), w.cfg.Provider, n, number, w.cfg.PIN(n.PhoneNumberID), w.cfg.Log.With("account", account.ID))
	return h.batch(func(tx *store.Tx) error {
		_, err := core.KeepStanding(tx, account, number)
		return err
	})
}

// importApp requests the contacts and the history of a number that is also used in the phone app. The provider
// sends them as callbacks.
func (w *Worker) importApp(n provider.Number, account chat.Account, number provider.PhoneNumber) error {
	if !number.OnBusinessApp {
		return nil
	}
	for _, what := range []provider.AppData{provider.AppContacts, provider.AppHistory} {
		if err := w.cfg.Provider.SyncApp(w.Context(), n, what); err != nil {
			return err
		}
	}
	w.cfg.Log.Info("the phone app's contacts and history were asked for", "account", account.ID, "phone_number_id", n.PhoneNumberID)
	return nil
}
