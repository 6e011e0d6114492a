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
	// stragglers is how long after a disconnection a request that read the account before may still write to
	// it.
	stragglers = time.Minute
	// tellEvery is how often a long purge logs its progress.
	tellEvery = 10 * time.Second
)

// followDisconnection turns the provider's callbacks off and deletes the account's data.
func (w *Worker) followDisconnection(h *heldJob) error {
	account, err := w.cfg.Store.Read(w.Context()).DeletedAccount(h.job.OrgID, h.job.AccountID)
	if errors.Is(err, store.ErrNotFound) { // purged, and then the process ended
		return h.finish(nil)
	}
	if err != nil {
		return err
	}
	if h.job.Attempts == 0 {
		w.unsubscribe(account)
	}
	p := purge{worker: w, held: h, account: account, steps: w.cfg.Store.Steps().Purge(), told: w.cfg.Store.Moment()}
	if err := p.run(); err != nil {
		return err
	}
	if left := w.stragglersLeft(h.job); left > 0 {
		return h.postpone(left)
	}
	err = h.finish(func(tx *store.Tx) error { return tx.RemoveAccount(account.OrgID, account.ID) })
	if err == nil {
		w.cfg.Log.Info("a disconnected number was purged", "account", account.ID)
	}
	return err
}

// stragglersLeft is the remaining time for stragglers. If it seems longer than possible, the clock was turned
// back since the job was put: the job then waits the full time once.
func (w *Worker) stragglersLeft(job store.AccountJob) time.Duration {
	left := stragglers - w.cfg.Store.Now().Sub(job.CreatedAt)
	switch {
	case left <= stragglers:
		return left
	case job.Attempts == 0:
		return stragglers
	default:
		return 0
	}
}

// unsubscribe turns the callbacks of the business account off, unless one of its numbers is still connected. It
// tries once, because callbacks for unknown numbers are dropped.
func (w *Worker) unsubscribe(account chat.Account) {
	err := w.tryUnsubscribe(account)
	if err != nil && !w.Ended() {
		w.cfg.Log.Warn("callbacks could not be turned off", "account", account.ID, "waba_id", account.WABAID, "error", err)
	}
}

func (w *Worker) tryUnsubscribe(account chat.Account) error {
	others, err := w.cfg.Store.Read(w.Context()).AccountsOfWABA(account.WABAID)
	if err != nil || len(others) > 0 {
		return err
	}
	n, err := core.NumberOf(account, w.cfg.Token)
	if err != nil {
		return err
	}
	if err := w.cfg.Provider.Unsubscribe(w.Context(), n); err != nil {
		return err
	}
	w.cfg.Log.Info("callbacks were turned off", "account", account.ID, "waba_id", account.WABAID)
	return w.subscribeNewcomer(account.WABAID)
}

// subscribeNewcomer subscribes again if a number was connected while its business account was being
// unsubscribed.
func (w *Worker) subscribeNewcomer(wabaID string) error {
	others, err := w.cfg.Store.Read(w.Context()).AccountsOfWABA(wabaID)
	if err != nil || len(others) == 0 {
		return err
	}
	var n provider.Number
	if n, err = core.NumberOf(others[0], w.cfg.Token); err != nil {
		return err
	}
	return w.cfg.Provider.Subscribe(w.Context(), n)
}

// purge deletes an account's data step by step. Housekeeping deletes the bytes of its files.
type purge struct {
	worker  *Worker
	held    *heldJob
	account chat.Account
	steps   *store.Steps
	rows    int64
	told    store.Moment
}

func (p *purge) run() error {
	for p.worker.Context().Err() == nil {
		rows, _, err := p.steps.DoIn(p.worker.Context(), p.held.batch, func(tx *store.Tx, rows int) (int64, error) { return core.PurgeBatch(tx, p.account, rows) })
		if err != nil {
			return err
		}
		if p.rows += rows; rows == 0 {
			p.tell("data of a disconnected number is gone", p.rows > 0)
			return nil
		}
		p.tell("purging a disconnected number", p.worker.cfg.Store.Moment().Sub(p.told) >= tellEvery)
	}
	return p.worker.Context().Err()
}

func (p *purge) tell(what string, now bool) {
	if now {
		p.told = p.worker.cfg.Store.Moment()
		p.worker.cfg.Log.Info(what, "account", p.account.ID, "rows", p.rows)
	}
}
