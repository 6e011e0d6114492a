package media

import (
	"context"
	"errors"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

// releaseLimit is the number of events that one transaction releases.
const releaseLimit = 100

// releaseEvents releases the events that would otherwise wait too long. Any node does it for all nodes: the
// first one takes the row.
func (m *Mover) releaseEvents(context.Context) {
	for {
		now := m.cfg.Store.Now()
		held, err := m.cfg.Store.Read(m.Context()).HeldEventsBeyond(now.Add(sweepEvery), now.Add(core.FileHold), releaseLimit)
		if err == nil {
			err = m.release(held)
		}
		if err != nil && !m.Ended() {
			m.cfg.Log.Warn("events that waited for a file could not be released", "error", err)
		}
		if err != nil || len(held) < releaseLimit {
			return
		}
	}
}

// release releases events together. If that fails, it releases each one alone, because one of them may be the
// cause.
func (m *Mover) release(held []store.HeldEvent) error {
	err := m.releaseTogether(held)
	if err == nil || len(held) == 1 {
		return err
	}
	var errs []error
	for i := range held {
		errs = append(errs, m.releaseTogether(held[i:i+1]))
	}
	return errors.Join(errs...)
}

func (m *Mover) releaseTogether(held []store.HeldEvent) error {
	if len(held) == 0 {
		return nil
	}
	accounts, err := m.accountsOf(held)
	if err != nil {
		return err
	}
	return m.cfg.Store.InTx(context.WithoutCancel(m.Context()), func(tx *store.Tx) error {
		for _, h := range held {
			account, connected := accounts[h.AccountID]
			if !connected {
				continue
			}
			if err := core.ReleaseEvent(tx, account, h.MessageID); err != nil {
				return err
			}
		}
		return nil
	})
}

// accountsOf reads each account of the events once. A disconnected account is missing.
func (m *Mover) accountsOf(held []store.HeldEvent) (map[string]chat.Account, error) {
	accounts := map[string]chat.Account{}
	for _, h := range held {
		if _, known := accounts[h.AccountID]; known {
			continue
		}
		account, err := m.cfg.Store.Read(m.Context()).Account(h.OrgID, h.AccountID)
		if err == nil {
			accounts[h.AccountID] = account
		} else if !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
	}
	return accounts, nil
}
