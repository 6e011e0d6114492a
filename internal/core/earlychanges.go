package core

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// EarlyChangeLife is how long a change waits for its message. No organization keeps messages for less than that.
const EarlyChangeLife = 24 * time.Hour

// The kinds of early changes.
const (
	earlyEdit   = "edit"
	earlyRevoke = "revoke"
)

// keepEarly stores a change of an unknown message. Callbacks come in any order, so the message may still come.
func keepEarly(tx *store.Tx, account chat.Account, originalID, providerID, kind string, change any) error {
	text, err := json.Marshal(change)
	if err != nil {
		return err
	}
	return tx.InsertEarlyChange(store.EarlyChange{
		OrgID: account.OrgID, AccountID: account.ID, OriginalID: originalID, ProviderID: providerID,
		Kind: kind, Change: text, CreatedAt: tx.Now(),
	})
}

// applyEarly applies the changes that came before their message, in the order in which they came.
func (a Applier) applyEarly(tx *store.Tx, account chat.Account, originalID string) error {
	changes, err := tx.TakeEarlyChanges(account.OrgID, account.ID, originalID)
	if err != nil {
		return err
	}
	slices.SortFunc(changes, func(a, b store.EarlyChange) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ProviderID, b.ProviderID))
	})
	for _, c := range changes {
		if err := a.applyChange(tx, account, c); err != nil {
			return err
		}
	}
	return nil
}

// applyChange applies one change. An unreadable change must not keep its message from being stored.
func (a Applier) applyChange(tx *store.Tx, account chat.Account, c store.EarlyChange) error {
	var edit provider.Edit
	var revoke provider.Revoke
	into := map[string]any{earlyEdit: &edit, earlyRevoke: &revoke}[c.Kind]
	if err := json.Unmarshal(c.Change, into); err != nil {
		a.Log.Error("a change that came before its message cannot be read and is dropped", "account", c.AccountID, "change", c.ProviderID, "error", err)
		return nil
	}
	if c.Kind == earlyRevoke {
		return a.revoke(tx, account, revoke)
	}
	if string(edit.Content) == "null" { // the content is withheld
		edit.Content = nil
	}
	return a.edit(tx, account, edit)
}

// CatchUp applies a change whose message exists by now: the message came with a number's history, its send was
// answered late, or another node stored it at the same instant as the change.
func (a Applier) CatchUp(tx *store.Tx, c store.EarlyChange) error {
	account, err := tx.Account(c.OrgID, c.AccountID)
	if err != nil {
		return ignoreNotFound(err)
	}
	return a.applyEarly(tx, account, c.OriginalID)
}
