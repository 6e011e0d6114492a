package core

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// Templates is what is done with templates at the provider. Its methods run transactions of their
// own, before and after the calls.
type Templates struct {
	Store    *store.Store
	Provider provider.Client
	Token    func(chat.Account) (string, error)
	// Open opens a stored file, for the samples that are in the library.
	Open func(ctx context.Context, blobKey string) (io.ReadSeekCloser, error)
	// Fetch reads the samples that users name; it must not reach private networks.
	Fetch *http.Client
	// RefuseAfter is how long it takes to say that a sample's host has no public address. It is longer than
	// looking a name up, so that names of our network cannot be told from those that do not exist.
	RefuseAfter time.Duration

	first firstSyncs
}

const (
	// syncEvery is how often templates are read from the provider where nothing calls for it sooner.
	syncEvery = 6 * time.Hour
	// syncLease is how long a synchronization may take before another node may begin one.
	syncLease = 5 * time.Minute
	// syncRetry is how long a failed one waits; it doubles up to syncEvery.
	syncRetry = time.Minute
	// maxSyncPages ends a list that the provider would not end. An account has 6,000 templates at most.
	maxSyncPages = 500
	removeBatch  = 500
)

// Template returns a template by name: in the given language, or the newest.
func Template(r store.Reader, account chat.Account, name, language string) (chat.Template, error) {
	if language != "" {
		t, err := r.Template(account.OrgID, account.WABAID, name, language)
		return t, orNotFound(err, "template")
	}
	all, err := r.TemplatesNamed(account.OrgID, account.WABAID, name)
	if err == nil && len(all) == 0 {
		err = chat.NotFound("template")
	}
	if err != nil {
		return chat.Template{}, err
	}
	return all[0], nil
}

// TemplateSyncResult counts what a synchronization did.
type TemplateSyncResult struct {
	Created, Updated, Removed int
	Synced                    int // templates that the provider has
}

// Sync reads all templates of the account from the provider. Pages are applied one by one, each in
// a transaction; what did not change is not touched.
func (s *Templates) Sync(ctx context.Context, account chat.Account) (TemplateSyncResult, error) {
	until := s.Store.Now().Add(syncLease)
	err := s.Store.InTx(ctx, func(tx *store.Tx) error {
		return tx.BeginTemplateSync(account.OrgID, account.WABAID, until)
	})
	if err != nil {
		return TemplateSyncResult{}, err
	}
	return s.syncClaimed(ctx, account, until, 0)
}

// syncClaimed does a synchronization that this node has taken, and schedules the next.
func (s *Templates) syncClaimed(ctx context.Context, account chat.Account, until time.Time, failures int) (TemplateSyncResult, error) {
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

func (s *Templates) sync(ctx context.Context, account chat.Account) (result TemplateSyncResult, err error) {
	number, err := NumberOf(account, s.Token)
	if err != nil {
		return result, err
	}
	started := s.Store.Now()
	seen := map[templateKey]bool{}
	query := provider.TemplateQuery{}
	for range maxSyncPages {
		asked := s.Store.Now()
		page, err := s.Provider.Templates(ctx, number, query)
		if err != nil {
			return result, templateCallFailed(err, "phone_number_id")
		}
		var done TemplateSyncResult
		err = s.Store.InTx(ctx, func(tx *store.Tx) (err error) {
			done, err = applyTemplates(tx, account, page.Templates, asked)
			return err
		})
		if err != nil {
			return result, err
		}
		result.Created += done.Created
		result.Updated += done.Updated
		for _, t := range page.Templates {
			if listed(t) {
				seen[keyOf(t)] = true
			}
		}
		if page.Next == "" || page.Next == query.After {
			result.Synced = len(seen)
			result.Removed, err = s.removeUnseen(ctx, account, seen, started)
			return result, err
		}
		query.After = page.Next
	}
	return result, chat.Fail(chat.CodeProviderFailure, "The provider's list of templates does not end.")
}

type templateKey struct{ name, language string }

func keyOf(t provider.Template) templateKey { return templateKey{t.Name, t.Language} }

// listed: the provider still shows templates that are as good as gone.
func listed(t provider.Template) bool {
	return t.Name != "" && t.Language != "" && !chat.TemplateGone(t.Status)
}

// applyTemplates takes over what the provider listed when it was asked. A template that has changed
// here since then is newer than the list.
func applyTemplates(tx *store.Tx, account chat.Account, list []provider.Template, asked time.Time) (done TemplateSyncResult, err error) {
	names := make([]string, 0, len(list))
	for _, t := range list {
		names = append(names, t.Name)
	}
	refs, err := tx.TemplateRefs(account.OrgID, account.WABAID, names)
	if err != nil {
		return done, err
	}
	known := make(map[templateKey]store.TemplateRef, len(refs))
	for _, ref := range refs {
		known[templateKey{ref.Name, ref.Language}] = ref
	}
	for _, t := range list {
		if !listed(t) {
			continue
		}
		row := templateRow(account, t)
		ref, exists := known[keyOf(t)]
		row.ID, row.CreatedAt, row.UpdatedAt = tx.NewID(chat.KindTemplate), tx.Now(), tx.Now()
		switch {
		case exists && (ref.Digest == row.Digest() || ref.UpdatedAt.After(asked)):
			continue
		case exists:
			done.Updated++
			if err := noteTemplateChanges(tx, ref.Standing, row, ""); err != nil {
				return done, err
			}
		default:
			done.Created++
		}
		if err := tx.PutTemplate(row); err != nil {
			return done, err
		}
	}
	return done, nil
}

// templateRow is a template of the provider's as we keep it.
func templateRow(account chat.Account, t provider.Template) chat.Template {
	row := chat.Template{
		OrgID: account.OrgID, WABAID: account.WABAID, Name: t.Name, Language: t.Language, ProviderID: orNil(t.ID),
		Category: orNil(t.Category), Format: t.Format, Quality: orNil(t.Quality), TTLSeconds: t.TTLSeconds, Components: t.Components,
	}
	if row.Format != chat.FormatNamed {
		row.Format = chat.FormatPositional
	}
	if row.Components == nil {
		row.Components = json.RawMessage("[]")
	}
	row.SetProviderStatus(t.Status, orNil(t.RejectedReason))
	return row
}

// removeUnseen removes templates that the provider does not have any more. One that was made or
// changed here since the synchronization began may be missing from its pages.
func (s *Templates) removeUnseen(ctx context.Context, account chat.Account, seen map[templateKey]bool, started time.Time) (removed int, err error) {
	refs, err := s.Store.Read(ctx).AllTemplateRefs(account.OrgID, account.WABAID)
	if err != nil {
		return 0, err
	}
	var gone []string
	for _, ref := range refs {
		if !seen[templateKey{ref.Name, ref.Language}] {
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
func (s *Templates) Due(ctx context.Context, limit int) ([]store.TemplateSync, error) {
	return s.Store.Read(ctx).DueTemplateSyncs(s.Store.Now(), syncEvery, limit)
}

// SyncDue does a synchronization that is due, unless another node was faster.
func (s *Templates) SyncDue(ctx context.Context, due store.TemplateSync) error {
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

// accountOf picks the number whose token is used: any of the business account, a connected one first.
func (s *Templates) accountOf(ctx context.Context, due store.TemplateSync) (chat.Account, error) {
	accounts, err := s.Store.Read(ctx).AccountsOfWABA(due.WABAID)
	if err != nil {
		return chat.Account{}, err
	}
	var any *chat.Account
	for i := range accounts {
		a := &accounts[i]
		if a.OrgID == due.OrgID && (any == nil || a.Status == chat.AccountConnected && any.Status != chat.AccountConnected) {
			any = a
		}
	}
	if any == nil {
		return chat.Account{}, store.ErrNotFound
	}
	return *any, nil
}

// forget removes the templates of a business account that has no number here any more.
func (s *Templates) forget(ctx context.Context, due store.TemplateSync) error {
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

// templateCallFailed is a provider's refusal of a call about templates as the caller sees it. given are the
// fields of the request that it can be about.
func templateCallFailed(err error, given ...string) error {
	e, ok := errors.AsType[*provider.Error](err)
	if !ok {
		return err
	}
	class := e.Class()
	switch {
	case errors.Is(err, provider.ErrNoApp):
		return chat.Fail(chat.CodeServiceUnavailable, "This service cannot upload samples yet: its operator has to set --provider-app-id. The provider's own handles work.")
	case e.HTTPStatus == 0 || e.HTTPStatus >= 500 || e.Transient || class.Transient:
		return chat.Fail(chat.CodeProviderFailure, "The provider did not answer or is in trouble. Try again in a while.")
	case class.TokenLost || class.Code == chat.FailPermissionRevoked || class.Code == chat.FailAccountRestricted:
		return chat.Fail(chat.CodeUpstreamError, "The provider does not let this number manage templates: %s", e.Message)
	}
	words := e.Message
	if e.Title != "" && e.Title != e.Message {
		words = e.Title + ": " + e.Message
	}
	return chat.Invalid(refusedField(e, given), "The provider refused: %s", words)
}

// namedField finds the field that the provider names in its words: "Param category must be …".
var namedField = regexp.MustCompile(`(?i)\bparam(?:eter)? '?([a-z_]+)`)

// refusedField is the field that a refusal is about: the one that the provider names, or else the first.
func refusedField(e *provider.Error, given []string) string {
	if named := namedField.FindStringSubmatch(e.Message); named != nil && slices.Contains(given, named[1]) {
		return named[1]
	}
	if e.AboutTemplateName() && slices.Contains(given, "name") {
		return "name"
	}
	return given[0]
}

// firstSyncs lets one request at a time do the first synchronization of a business account.
type firstSyncs struct {
	mu      sync.Mutex
	running map[string]chan struct{}
}

// enter returns true for the first to come, who must call leave; the others wait until then.
func (f *firstSyncs) enter(ctx context.Context, key string) bool {
	f.mu.Lock()
	done, busy := f.running[key]
	if !busy {
		if f.running == nil {
			f.running = map[string]chan struct{}{}
		}
		f.running[key] = make(chan struct{})
	}
	f.mu.Unlock()
	if !busy {
		return true
	}
	select {
	case <-done:
	case <-ctx.Done():
	}
	return false
}

func (f *firstSyncs) leave(key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.running[key])
	delete(f.running, key)
}
