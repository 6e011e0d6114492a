// Package numbers works with a business number at the provider while a caller waits: its state, its registration, its
// profile, and read receipts. It calls the provider between transactions, never inside one; the transactions
// themselves are in core.
package numbers

import (
	"bytes"
	"context"
	"errors"
	"net/http"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// Service calls the provider for numbers.
type Service struct {
	Store    *store.Store
	Provider provider.Client
	Token    func(chat.Account) (string, error)
}

// Refresh reads a number's state from the provider, and stores it.
func (s *Service) Refresh(ctx context.Context, account chat.Account) (chat.Account, error) {
	info, err := s.read(ctx, account)
	if err != nil {
		return chat.Account{}, err
	}
	err = s.Store.InTx(ctx, func(tx *store.Tx) (err error) {
		account, err = core.KeepStanding(tx, account, info)
		return err
	})
	return account, err
}

// Rate reads a number's rating and limit from the provider, and stores them. The number's state stays as it is.
func (s *Service) Rate(ctx context.Context, account chat.Account) error {
	info, err := s.read(ctx, account)
	if err != nil {
		return err
	}
	return s.Store.InTx(ctx, func(tx *store.Tx) error { return core.KeepRating(tx, account, info) })
}

func (s *Service) read(ctx context.Context, account chat.Account) (provider.PhoneNumber, error) {
	number, err := core.NumberOf(account, s.Token)
	if err != nil {
		return provider.PhoneNumber{}, err
	}
	info, err := s.Provider.PhoneNumber(ctx, number)
	if err != nil {
		return info, s.refused(ctx, account, err)
	}
	return info, nil
}

// Profile reads a number's business profile.
func (s *Service) Profile(ctx context.Context, account chat.Account) (chat.BusinessProfile, error) {
	number, err := core.NumberOf(account, s.Token)
	if err != nil {
		return chat.BusinessProfile{}, err
	}
	p, err := s.Provider.Profile(ctx, number)
	return p, s.refused(ctx, account, err)
}

// UpdateProfile changes a number's business profile and returns the new profile.
func (s *Service) UpdateProfile(ctx context.Context, account chat.Account, change chat.ProfileChange) (chat.BusinessProfile, error) {
	if err := change.Check(); err != nil {
		return chat.BusinessProfile{}, err
	}
	number, err := core.NumberOf(account, s.Token)
	if err != nil {
		return chat.BusinessProfile{}, err
	}
	if err := s.Provider.UpdateProfile(ctx, number, change); err != nil {
		return chat.BusinessProfile{}, s.refused(ctx, account, err)
	}
	// The provider has the change now, so it is noted even if this request is cancelled.
	err = s.Store.InTx(context.WithoutCancel(ctx), func(tx *store.Tx) error { return core.NoteProfile(tx, account, change.Fields()) })
	if err != nil {
		return chat.BusinessProfile{}, err
	}
	p, err := s.Provider.Profile(ctx, number)
	return p, s.refused(ctx, account, err)
}

// SetPicture makes a JPEG or PNG the picture of a number's profile.
func (s *Service) SetPicture(ctx context.Context, account chat.Account, picture []byte) (chat.BusinessProfile, error) {
	kind := http.DetectContentType(picture)
	if kind != "image/jpeg" && kind != "image/png" {
		return chat.BusinessProfile{}, chat.Fail(chat.CodeUnsupportedMediaType, "The picture must be a JPEG or a PNG.")
	}
	number, err := core.NumberOf(account, s.Token)
	if err != nil {
		return chat.BusinessProfile{}, err
	}
	handle, err := s.Provider.UploadSample(ctx, number, provider.File{
		Name: "picture." + kind[len("image/"):], MimeType: kind, Size: int64(len(picture)), Body: bytes.NewReader(picture),
	})
	if err != nil {
		return chat.BusinessProfile{}, s.refused(ctx, account, err)
	}
	return s.UpdateProfile(ctx, account, chat.ProfileChange{PictureHandle: &handle})
}

// Register registers a number at the provider with its PIN. Only one registration of a number runs at a time, across
// all nodes.
func (s *Service) Register(ctx context.Context, account chat.Account, pin string) (chat.Account, error) {
	err := s.Store.InTx(ctx, func(tx *store.Tx) (err error) {
		account, err = core.BeginRegistration(tx, account)
		return err
	})
	if err != nil {
		return chat.Account{}, err
	}
	status, callErr := s.register(ctx, account, pin)
	err = s.Store.InTx(context.WithoutCancel(ctx), func(tx *store.Tx) (err error) {
		account, err = core.EndRegistration(tx, account, status)
		return err
	})
	return account, errors.Join(callErr, err)
}

// register returns the status of the number after its registration; nil if it was not registered.
func (s *Service) register(ctx context.Context, account chat.Account, pin string) (*string, error) {
	number, err := core.NumberOf(account, s.Token)
	if err != nil {
		return nil, err
	}
	if err := s.Provider.Register(ctx, number, pin); err != nil {
		return nil, refusal(err, func(e *provider.Error) error {
			return chat.Fail(chat.CodeRegistrationFailed, "The provider refused the registration: %s", e.Message)
		})
	}
	status := "CONNECTED"
	if info, err := s.Provider.PhoneNumber(ctx, number); err == nil && info.Status != "" {
		status = info.Status
	}
	return &status, nil
}

// MarkRead sends a read receipt, with a typing bubble if requested, and notes it. It can be repeated. A user who sends
// one must see the conversation.
func (s *Service) MarkRead(ctx context.Context, account chat.Account, providerID string, typing bool, by *chat.User) (chat.Message, error) {
	m, err := core.MessageToRead(s.Store.Read(ctx), account, providerID, by)
	if err != nil {
		return chat.Message{}, err
	}
	from, err := core.NumberOf(account, s.Token)
	if err != nil {
		return chat.Message{}, err
	}
	if err := s.Provider.MarkRead(ctx, from, providerID, typing); err != nil {
		_, failed := core.NoteLostToken(ctx, s.Store, account, err)
		return chat.Message{}, errors.Join(refusal(err, func(e *provider.Error) error {
			return chat.Fail(chat.CodeUpstreamError, "The provider refused: %s", e.MessageError().Message)
		}), failed)
	}
	err = s.Store.InTx(ctx, func(tx *store.Tx) (err error) {
		m, err = core.NoteRead(tx, account, m.ID)
		return err
	})
	return m, err
}

// refused is providerRefused for a call with an account's token. If that is no longer good, the account is marked, as a send
// would do.
func (s *Service) refused(ctx context.Context, account chat.Account, err error) error {
	_, failed := core.NoteLostToken(ctx, s.Store, account, err)
	return errors.Join(providerRefused(err), failed)
}

// providerRefused turns a refused call into the caller's error.
func providerRefused(err error) error {
	if errors.Is(err, provider.ErrNoApp) {
		return chat.Fail(chat.CodeProviderFailure, "The server knows no app of the provider's. Its operator sets one with --provider-app-id.")
	}
	return refusal(err, func(e *provider.Error) error {
		return chat.Fail(chat.CodeUpstreamError, "The provider refused: %s", e.Message)
	})
}

// refusal distinguishes a provider that is in trouble from one that has refused.
func refusal(err error, refused func(*provider.Error) error) error {
	e, ok := errors.AsType[*provider.Error](err)
	switch {
	case !ok:
		return err
	case e.Transient || e.Class().Transient: // some codes that are final come with HTTP 500
		return chat.Fail(chat.CodeProviderFailure, "The provider did not answer or is in trouble. Try again in a while.")
	default:
		return refused(e)
	}
}
