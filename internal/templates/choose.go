package templates

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/tracing"
)

// FirstSyncPatience is how long a send waits at most for the first synchronization of its account. Only a message with
// an unknown template waits, and only while the account's templates have never been read.
const FirstSyncPatience = 10 * time.Second

// firstSyncPause is how long sends do not wait for it again after it has failed. A token that may not read templates would
// otherwise cost every message a call to the provider.
const firstSyncPause = time.Minute

// Choose finds the template that a message names, and checks its parameters. If an account's templates have never been
// read from the provider, Choose reads them now. If that fails, or failed a moment ago, the message is sent unchecked, and
// the provider decides.
func (s *Service) Choose(ctx context.Context, account chat.Account, c *chat.TemplateContent, toNumber bool) core.TemplateChoice {
	t, err := s.find(ctx, account, c)
	if errors.Is(err, errNeverSynced) {
		return core.TemplateChoice{Unknown: true}
	}
	if err != nil {
		return core.TemplateChoice{Err: err}
	}
	choice := core.TemplateChoice{Category: textOf(t.Category)}
	if e := t.CheckSendable(); e != nil {
		choice.Err = e
		return choice
	}
	if t.Is(chat.CategoryAuthentication) && !toNumber {
		choice.Err = chat.Invalid("recipient", "Authentication templates go to phone numbers only: give to.")
		return choice
	}
	preview, e := t.Fill(c)
	if e != nil {
		choice.Err = e
		return choice
	}
	choice.Preview = &preview
	return choice
}

var errNeverSynced = errors.New("the account's templates were never synchronized")

// find reads a template. Only a missing one costs more than the read.
func (s *Service) find(ctx context.Context, account chat.Account, c *chat.TemplateContent) (chat.Template, error) {
	t, err := s.Store.Read(ctx).TemplateToSend(account.OrgID, account.WABAID, c.Name, c.Language.Code)
	if errors.Is(err, store.ErrNotFound) {
		return s.findMissed(ctx, account, c)
	}
	return t, err
}

// findMissed looks again for a missing template, after making sure that the account's templates have been read. A
// synchronization may have ended since the first look, so this second read alone decides both whether the template
// exists and which languages there are instead.
func (s *Service) findMissed(ctx context.Context, account chat.Account, c *chat.TemplateContent) (chat.Template, error) {
	if err := s.awaitFirstSync(ctx, account); err != nil {
		return chat.Template{}, err
	}
	variants, err := s.Store.Read(ctx).TemplatesNamed(account.OrgID, account.WABAID, c.Name)
	if err != nil {
		return chat.Template{}, err
	}
	var languages []string
	for _, t := range variants {
		if t.Language == c.Language.Code {
			return t, nil
		}
		languages = append(languages, t.Language)
	}
	return chat.Template{}, chat.UnknownTemplate(c.Name, c.Language.Code, languages)
}

// awaitFirstSync makes sure that the account's templates have been read once. It is the only network call within a
// send, and has its own name in traces.
func (s *Service) awaitFirstSync(ctx context.Context, account chat.Account) error {
	if known, err := s.everSynced(ctx, account); err != nil || known {
		return err
	}
	key := account.OrgID + " " + account.WABAID
	if s.Provider == nil || s.first.pauses(key, s.Store.Moment()) {
		return errNeverSynced
	}
	request := ctx
	ctx, span := tracing.Child(ctx, "first template sync")
	defer span.End()
	ctx, cancel := context.WithTimeout(ctx, FirstSyncPatience)
	defer cancel()
	if s.first.enter(ctx, key) {
		_, err := s.Sync(ctx, account)
		if err != nil && request.Err() == nil {
			s.first.pause(key, s.Store.Moment())
		}
		s.first.leave(key)
		if err != nil {
			return errNeverSynced
		}
		return nil
	}
	if known, err := s.everSynced(context.WithoutCancel(ctx), account); err != nil || known {
		return err
	}
	return errNeverSynced
}

func (s *Service) everSynced(ctx context.Context, account chat.Account) (bool, error) {
	state, err := s.Store.Read(ctx).TemplateSync(account.OrgID, account.WABAID)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil && state.SyncedAt != nil, err
}

// firstSyncs lets one request at a time run the first synchronization of a business account, and none for a while after
// it has failed.
type firstSyncs struct {
	mu      sync.Mutex
	running map[string]chan struct{}
	paused  map[string]store.Moment // until when
}

// pauses reports whether the synchronization failed a short time ago.
func (f *firstSyncs) pauses(key string, now store.Moment) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return now.Before(f.paused[key])
}

// pause begins a pause, and forgets those that have ended.
func (f *firstSyncs) pause(key string, now store.Moment) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.paused == nil {
		f.paused = map[string]store.Moment{}
	}
	maps.DeleteFunc(f.paused, func(_ string, until store.Moment) bool { return until.Before(now) })
	f.paused[key] = now.Add(firstSyncPause)
}

// enter returns true to the first caller, which must call leave. Other callers wait until then and get false.
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
