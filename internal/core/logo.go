package core

import (
	"errors"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// SetLogo replaces an organization's logo. A nil file removes it.
func SetLogo(tx *store.Tx, orgID string, file *StoredFile) (chat.Organization, error) {
	org, err := organization(tx.Reader, orgID)
	if err != nil {
		return chat.Organization{}, err
	}
	if old := org.Settings.Brand.LogoID; old != "" {
		if err := dropLogo(tx, orgID, old); err != nil {
			return chat.Organization{}, err
		}
	}
	var id, token string
	if file != nil {
		logo, err := AddMedia(tx, chat.Account{OrgID: orgID}, chat.MediaLogo, *file)
		if err != nil {
			return chat.Organization{}, err
		}
		id, token = logo.ID, logo.Token
	}
	return ChangeSettings(tx, orgID, nil, func(s *chat.Settings) { s.Brand.LogoID, s.Brand.LogoToken = id, token })
}

func dropLogo(tx *store.Tx, orgID, id string) error {
	logo, err := tx.Media(orgID, id)
	if err != nil {
		return ignoreNotFound(err)
	}
	return errors.Join(tx.DeleteMedia(orgID, id), tx.RemoveFile(orgID, logo.BlobKey))
}
