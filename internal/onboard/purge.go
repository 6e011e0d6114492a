package onboard

import (
	"errors"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

const (
	// purgeRows keeps a batch well under the time a writer may be held up.
	purgeRows  = 200
	purgeFiles = 50
	// stragglers is how long after a disconnection something may still be written for the account by
	// who had read it before.
	stragglers = time.Minute
	// tellEvery is how often a long purge says how far it is.
	tellEvery = 10 * time.Second
)

// followDisconnection ends the provider's callbacks and removes all that the account had.
func (w *Worker) followDisconnection(h *heldJob) error {
	account, err := w.cfg.Store.Read(w.ctx).DeletedAccount(h.job.OrgID, h.job.AccountID)
	if errors.Is(err, store.ErrNotFound) { // purged, and then the process ended
		return h.finish(nil)
	}
	if err != nil {
		return err
	}
	if h.job.Attempts == 0 {
		w.unsubscribe(account)
	}
	p := purge{worker: w, held: h, account: account, told: w.cfg.Store.Now()}
	if err := p.run(); err != nil {
		return err
	}
	if left := stragglers - w.cfg.Store.Now().Sub(h.job.CreatedAt); left > 0 {
		return h.hold(left, h.job.Attempts+1)
	}
	err = h.finish(func(tx *store.Tx) error { return tx.RemoveAccount(account.OrgID, account.ID) })
	if err == nil {
		w.cfg.Log.Info("a disconnected number was purged", "account", account.ID)
	}
	return err
}

// unsubscribe turns the callbacks of the business account off, unless a number of it is still
// connected. It is tried once: callbacks for numbers that nobody has are dropped.
func (w *Worker) unsubscribe(account chat.Account) {
	err := w.tryUnsubscribe(account)
	if err != nil && w.ctx.Err() == nil {
		w.cfg.Log.Warn("callbacks could not be turned off", "account", account.ID, "waba_id", account.WABAID, "error", err)
	}
}

func (w *Worker) tryUnsubscribe(account chat.Account) error {
	others, err := w.cfg.Store.Read(w.ctx).AccountsOfWABA(account.WABAID)
	if err != nil || len(others) > 0 {
		return err
	}
	n, err := core.NumberOf(account, w.cfg.Token)
	if err != nil {
		return err
	}
	if err := w.cfg.Provider.Unsubscribe(w.ctx, n); err != nil {
		return err
	}
	w.cfg.Log.Info("callbacks were turned off", "account", account.ID, "waba_id", account.WABAID)
	return w.subscribeNewcomer(account.WABAID)
}

// subscribeNewcomer makes up for a number that was connected while its account was unsubscribed.
func (w *Worker) subscribeNewcomer(wabaID string) error {
	others, err := w.cfg.Store.Read(w.ctx).AccountsOfWABA(wabaID)
	if err != nil || len(others) == 0 {
		return err
	}
	var n provider.Number
	if n, err = core.NumberOf(others[0], w.cfg.Token); err != nil {
		return err
	}
	return w.cfg.Provider.Subscribe(w.ctx, n)
}

// purge removes what an account had, a batch at a time.
type purge struct {
	worker  *Worker
	held    *heldJob
	account chat.Account
	rows    int
	files   int
	told    time.Time
}

func (p *purge) run() error {
	for p.worker.ctx.Err() == nil {
		rows, err := p.batch()
		if err != nil {
			return err
		}
		files, err := p.batchOfFiles()
		if err != nil {
			return err
		}
		p.rows, p.files = p.rows+rows, p.files+files
		p.tell()
		if rows+files == 0 {
			if p.rows+p.files > 0 {
				p.worker.cfg.Log.Info("data of a disconnected number is gone", "account", p.account.ID, "rows", p.rows, "files", p.files)
			}
			return nil
		}
	}
	return p.worker.ctx.Err()
}

func (p *purge) batch() (rows int, err error) {
	err = p.held.batch(lease, p.held.job.Attempts, func(tx *store.Tx) (err error) {
		rows, err = core.PurgeBatch(tx, p.account, purgeRows)
		return err
	})
	return rows, err
}

// batchOfFiles removes bytes before rows: a row that is left is found again, a file would not be.
func (p *purge) batchOfFiles() (int, error) {
	files, err := p.worker.cfg.Store.Read(p.worker.ctx).MediaOfAccount(p.account.OrgID, p.account.ID, purgeFiles)
	if err != nil || len(files) == 0 {
		return 0, err
	}
	for _, f := range files {
		if err := p.worker.cfg.Blobs.Delete(f.BlobKey); err != nil {
			return 0, err
		}
	}
	return len(files), p.held.batch(lease, p.held.job.Attempts, func(tx *store.Tx) error { return core.PurgeFiles(tx, p.account, files) })
}

func (p *purge) tell() {
	if now := p.worker.cfg.Store.Now(); now.Sub(p.told) >= tellEvery {
		p.told = now
		p.worker.cfg.Log.Info("purging a disconnected number", "account", p.account.ID, "rows", p.rows, "files", p.files)
	}
}
