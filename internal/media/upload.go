package media

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// uploadLife is how long an upload is used. The provider keeps a file for 30 days, so we upload again a day
// early.
const uploadLife = 29 * 24 * time.Hour

// Upload returns the provider's id of library media, and its public address. It uploads the file on first use,
// and again after the provider has deleted it.
func (m *Mover) Upload(ctx context.Context, from provider.Number, account chat.Account, mediaID string) (string, string, error) {
	media, err := m.cfg.Store.Read(ctx).Media(account.OrgID, mediaID)
	if err != nil {
		return "", "", missing(err)
	}
	url := m.cfg.PublicURL + core.MediaPath(media)
	if media.ProviderMediaID != nil && media.AccountID == account.ID && m.cfg.Store.Now().Before(*media.ProviderExpires) {
		return *media.ProviderMediaID, url, nil
	}
	file, err := m.cfg.Blobs.Get(ctx, media.BlobKey)
	if err != nil {
		return "", "", missing(err)
	}
	defer file.Close()
	id, err := m.cfg.Provider.UploadMedia(ctx, from, provider.File{Name: nameOf(media), MimeType: media.MimeType, Size: media.Size, Body: file})
	if err != nil || media.AccountID != account.ID {
		return id, url, err
	}
	return id, url, m.cfg.Store.InTx(ctx, func(tx *store.Tx) error {
		return tx.SetProviderMedia(account.OrgID, media.ID, id, tx.Now().Add(uploadLife))
	})
}

// newUpload is the age up to which an upload cannot have been deleted by the provider.
const newUpload = 10 * time.Minute

// Forget makes the next sends of an account's library files upload them again. It returns false if none of them can have
// been deleted by the provider, because their uploads are new.
func (m *Mover) Forget(ctx context.Context, account chat.Account, mediaIDs []string) (forgotten bool, err error) {
	err = m.cfg.Store.InTx(ctx, func(tx *store.Tx) error {
		forgotten = false
		for _, id := range mediaIDs {
			file, err := tx.Media(account.OrgID, id)
			if errors.Is(err, store.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			if file.ProviderMediaID == nil || file.AccountID != account.ID || file.ProviderExpires.Sub(tx.Now()) > uploadLife-newUpload {
				continue
			}
			forgotten = true
			if !tx.Now().Before(*file.ProviderExpires) { // by another message
				continue
			}
			if err := tx.SetProviderMedia(account.OrgID, id, *file.ProviderMediaID, tx.Now()); err != nil {
				return err
			}
		}
		return nil
	})
	return forgotten, err
}

func nameOf(m chat.Media) string {
	if m.Filename != nil {
		return *m.Filename
	}
	return m.ID
}

// missing is the failure of a send whose library file was deleted. While the store or object storage is away,
// nothing is known to be deleted, and the message waits.
func missing(err error) error {
	if !errors.Is(err, store.ErrNotFound) && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("library media: %w", err)
	}
	return &provider.Error{Code: 131053, Message: "The library file of this message is gone.", Cause: fmt.Errorf("library media: %w", err)}
}
