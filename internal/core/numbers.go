package core

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// Numbers is what is done with numbers at the provider.
type Numbers struct {
	Store    *store.Store
	Provider provider.Client
	Token    func(chat.Account) (string, error)
}

// Refresh asks the provider how a number is, and stores what it says. A number that was registered once
// and now has to be again is degraded.
func (s *Numbers) Refresh(ctx context.Context, account chat.Account) (chat.Account, error) {
	number, err := NumberOf(account, s.Token)
	if err != nil {
		return chat.Account{}, err
	}
	info, err := s.Provider.PhoneNumber(ctx, number)
	if err != nil {
		return chat.Account{}, providerRefused(err)
	}
	err = s.Store.InTx(ctx, func(tx *store.Tx) error {
		current, err := tx.Account(account.OrgID, account.ID)
		if err != nil {
			return orNotFound(err, "business number")
		}
		before := current.Status
		current.Status = info.Standing()
		if current.Status == chat.AccountOnboarding && before != chat.AccountOnboarding {
			current.Status = chat.AccountDegraded
		}
		current.StatusReason = nil
		if current.Status != chat.AccountConnected {
			current.StatusReason = new("the provider reports " + info.Status)
		}
		current.ProviderStatus = orNil(info.Status)
		if info.Quality != "" {
			current.Quality = &info.Quality
		}
		if limit := tierOf(info.Limit); limit != "" {
			current.MessagingLimit = &limit
		}
		if name := clippedName(info.VerifiedName); name != nil {
			current.Name = name
		}
		account = current
		account.UpdatedAt = tx.Now()
		return tx.UpdateAccount(current)
	})
	return account, err
}

// Profile reads a number's business profile.
func (s *Numbers) Profile(ctx context.Context, account chat.Account) (chat.BusinessProfile, error) {
	number, err := NumberOf(account, s.Token)
	if err != nil {
		return chat.BusinessProfile{}, err
	}
	p, err := s.Provider.Profile(ctx, number)
	return p, providerRefused(err)
}

// UpdateProfile changes a number's business profile and returns what it has become.
func (s *Numbers) UpdateProfile(ctx context.Context, account chat.Account, change chat.ProfileChange) (chat.BusinessProfile, error) {
	if err := change.Check(); err != nil {
		return chat.BusinessProfile{}, err
	}
	number, err := NumberOf(account, s.Token)
	if err != nil {
		return chat.BusinessProfile{}, err
	}
	if err := s.Provider.UpdateProfile(ctx, number, change); err != nil {
		return chat.BusinessProfile{}, providerRefused(err)
	}
	// The provider has it now, whatever becomes of this request.
	err = s.Store.InTx(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		return audit(tx, account.OrgID, chat.AuditNumberProfile, ofNumber(account), "changed", strings.Join(change.Fields(), ", "))
	})
	if err != nil {
		return chat.BusinessProfile{}, err
	}
	p, err := s.Provider.Profile(ctx, number)
	return p, providerRefused(err)
}

// SetPicture makes a JPEG or PNG the picture of a number's profile.
func (s *Numbers) SetPicture(ctx context.Context, account chat.Account, picture []byte) (chat.BusinessProfile, error) {
	kind := http.DetectContentType(picture)
	if kind != "image/jpeg" && kind != "image/png" {
		return chat.BusinessProfile{}, chat.Fail(chat.CodeUnsupportedMediaType, "The picture must be a JPEG or a PNG.")
	}
	number, err := NumberOf(account, s.Token)
	if err != nil {
		return chat.BusinessProfile{}, err
	}
	handle, err := s.Provider.UploadSample(ctx, number, provider.File{
		Name: "picture." + kind[len("image/"):], MimeType: kind, Size: int64(len(picture)), Body: bytes.NewReader(picture),
	})
	if err != nil {
		return chat.BusinessProfile{}, providerRefused(err)
	}
	return s.UpdateProfile(ctx, account, chat.ProfileChange{PictureHandle: &handle})
}

// providerRefused says what a refused call means to whoever asked for it.
func providerRefused(err error) error {
	e, ok := errors.AsType[*provider.Error](err)
	switch {
	case !ok:
		return err
	case errors.Is(err, provider.ErrNoApp):
		return chat.Fail(chat.CodeProviderFailure, "The server knows no app of the provider's. Its operator sets one with --provider-app-id.")
	case e.HTTPStatus == 0 || e.HTTPStatus >= 500 || e.Transient || e.Class().Transient:
		return chat.Fail(chat.CodeProviderFailure, "The provider did not answer or is in trouble. Try again in a while.")
	default:
		return chat.Fail(chat.CodeUpstreamError, "The provider refused: %s", e.Message)
	}
}

// SetRequireOptIn decides whether people must have agreed before a number sends them marketing.
func SetRequireOptIn(tx *store.Tx, orgID, accountID string, required bool) (chat.Account, error) {
	account, err := tx.Account(orgID, accountID)
	if err != nil {
		return chat.Account{}, orNotFound(err, "business number")
	}
	if account.RequireOptIn == required {
		return account, nil
	}
	account.RequireOptIn, account.UpdatedAt = required, tx.Now()
	return account, errors.Join(tx.UpdateAccount(account),
		audit(tx, orgID, chat.AuditNumberUpdated, ofNumber(account), "changed", "require_opt_in", "require_opt_in", strconv.FormatBool(required)))
}
