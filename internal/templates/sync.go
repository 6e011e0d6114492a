package templates

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

const (
	// syncEvery is how often templates are read from the provider, if nothing causes it sooner.
	syncEvery = 6 * time.Hour
	// syncLease is how long a synchronization may take before another node may begin one.
	syncLease = 5 * time.Minute
	// syncRetry is how long to wait after a failed one. It doubles up to syncEvery.
	syncRetry = time.Minute
	// maxSyncPages ends a list that the provider would never end. An account has 6,000 templates at most.
	maxSyncPages = 500
	removeBatch  = 500
)

// Sync reads all templates of the account from the provider. Each page is applied in its own transaction; unchanged
// templates are not written.
func (s *Service) Sync(ctx context.Context, account chat.Account) (core.TemplateSyncResult, error) {
	until := s.Store.Now().Add(syncLease)
	err := s.Store.InTx(ctx, func(tx *store.Tx) error {
		return tx.BeginTemplateSync(account.OrgID, account.WABAID, until)
	})
	if err != nil {
		return core.TemplateSyncResult{}, err
	}
	return s.syncClaimed(ctx, account, until, 0)
}

// syncClaimed runs a synchronization that this node has claimed, and schedules the next.
func (s *Service) syncClaimed(ctx context.Context, account chat.Account, until time.Time, failures int) (core.TemplateSyncResult, error) {
	result, syncErr := s.sync(ctx, account)
	err := s.Store.InTx(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		if syncErr != nil {
			wait := min(syncRetry<<min(failures, 10), syncEvery)
			return tx.FailTemplateSync(account.OrgID, account.WABAID, until, tx.Now().Add(wait))
		}
		return errors.Join(tx.FinishTemplateSync(account.OrgID, account.WABAID, until, tx.Now().Add(syncEvery)),
			tx.PurgeTemplateDrafts(account.OrgID, account.WABAID, tx.Now().Add(-draftLife)))
	})
	return result, errors.Join(syncErr, err)
}

func (s *Service) sync(ctx context.Context, account chat.Account) (result core.TemplateSyncResult, err error) {
	number, err := core.NumberOf(account, s.Token)
	if err != nil {
		return result, err
	}
	started := s.Store.Now()
	before, err := s.here(ctx, account)
	if err != nil {
		return result, err
	}
	seen := map[core.TemplateKey]bool{}
	query, turned := provider.TemplateQuery{}, map[string]bool{}
	for range maxSyncPages {
		asked := s.Store.Now()
		page, err := s.Provider.Templates(ctx, number, query)
		if err != nil {
			return result, s.refused(ctx, account, err, "phone_number_id")
		}
		var done core.TemplateSyncResult
		err = s.Store.InTx(ctx, func(tx *store.Tx) (err error) {
			done, err = core.ApplyTemplates(tx, account, page.Templates, asked, before)
			return err
		})
		if err != nil {
			return result, err
		}
		result.Created += done.Created
		result.Updated += done.Updated
		for _, t := range page.Templates {
			if core.TemplateListed(t) {
				seen[core.TemplateKey{Name: t.Name, Language: t.Language}] = true
			}
		}
		if page.Next == "" {
			result.Synced = len(seen)
			result.Removed, err = s.removeUnseen(ctx, account, seen, started)
			return result, err
		}
		if turned[page.Next] { // what stands behind it was not shown, and must not be taken for gone
			break
		}
		query.After, turned[page.Next] = page.Next, true
	}
	return result, chat.Fail(chat.CodeProviderFailure, "The provider's list of templates does not end.")
}

// here are the templates that the account has here.
func (s *Service) here(ctx context.Context, account chat.Account) (map[core.TemplateKey]bool, error) {
	refs, err := s.Store.Read(ctx).AllTemplateRefs(account.OrgID, account.WABAID)
	all := make(map[core.TemplateKey]bool, len(refs))
	for _, ref := range refs {
		all[core.TemplateKey{Name: ref.Name, Language: ref.Language}] = true
	}
	return all, err
}

// removeUnseen removes templates that the provider does not have any more. A template that was made or changed here
// since the synchronization began may be missing from its pages, and stays.
func (s *Service) removeUnseen(ctx context.Context, account chat.Account, seen map[core.TemplateKey]bool, started time.Time) (removed int, err error) {
	refs, err := s.Store.Read(ctx).AllTemplateRefs(account.OrgID, account.WABAID)
	if err != nil {
		return 0, err
	}
	var gone []string
	for _, ref := range refs {
		if !seen[core.TemplateKey{Name: ref.Name, Language: ref.Language}] {
			gone = append(gone, ref.ID)
		}
	}
	for len(gone) > 0 {
		batch := gone[:min(removeBatch, len(gone))]
		gone = gone[len(batch):]
		var n int64
		err := s.Store.InTx(ctx, func(tx *store.Tx) (err error) {
			n, err = tx.DeleteTemplates(account.OrgID, batch, started)
			return err
		})
		if removed += int(n); err != nil {
			return removed, err
		}
	}
	return removed, nil
}

// Due are the synchronizations that are due, the longest waiting first.
func (s *Service) Due(ctx context.Context, limit int) ([]store.TemplateSync, error) {
	return s.Store.Read(ctx).DueTemplateSyncs(s.Store.Now(), syncEvery, limit)
}

// SyncDue runs a due synchronization, unless another node was faster.
func (s *Service) SyncDue(ctx context.Context, due store.TemplateSync) error {
	until := s.Store.Now().Add(syncLease)
	var mine bool
	err := s.Store.InTx(ctx, func(tx *store.Tx) (err error) {
		mine, err = tx.ClaimTemplateSync(due, until)
		return err
	})
	if err != nil || !mine {
		return err
	}
	account, err := s.accountOf(ctx, due)
	if errors.Is(err, store.ErrNotFound) {
		return s.forget(ctx, due)
	}
	if err != nil {
		return err
	}
	_, err = s.syncClaimed(ctx, account, until, due.Attempts)
	return err
}

// accountOf picks the number whose token is used: any number of the business account, a connected one first.
func (s *Service) accountOf(ctx context.Context, due store.TemplateSync) (chat.Account, error) {
	accounts, err := s.Store.Read(ctx).AccountsOfWABA(due.WABAID)
	if err != nil {
		return chat.Account{}, err
	}
	accounts = slices.DeleteFunc(accounts, func(a chat.Account) bool { return a.OrgID != due.OrgID })
	if len(accounts) == 0 {
		return chat.Account{}, store.ErrNotFound
	}
	connected := slices.IndexFunc(accounts, func(a chat.Account) bool { return a.Status == chat.AccountConnected })
	return accounts[max(0, connected)], nil
}

// forget removes the templates of a business account that has no numbers here any more.
func (s *Service) forget(ctx context.Context, due store.TemplateSync) error {
	for n := int64(removeBatch); n == removeBatch; {
		err := s.Store.InTx(ctx, func(tx *store.Tx) (err error) {
			n, err = tx.ForgetTemplates(due.OrgID, due.WABAID, removeBatch)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
