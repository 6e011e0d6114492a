package core

import (
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// CreateKey issues an API key and returns its plaintext, which exists nowhere else.
func CreateKey(tx *store.Tx, orgID, name string, expiresAt *time.Time) (chat.APIKey, string, error) {
	name, err := chat.CleanName(name)
	if err != nil {
		return chat.APIKey{}, "", err
	}
	if expiresAt != nil && !expiresAt.After(tx.Now()) {
		return chat.APIKey{}, "", chat.Invalid("expires_at", "Must be in the future.")
	}
	if _, err := organization(tx.Reader, orgID); err != nil {
		return chat.APIKey{}, "", err
	}
	text := chat.NewKeyText()
	key := chat.APIKey{
		ID: tx.NewID(chat.KindKey), OrgID: orgID, Name: name, Hash: chat.HashToken(text),
		Last4: text[len(text)-4:], ExpiresAt: expiresAt, CreatedAt: tx.Now(),
	}
	if err := tx.InsertKey(key); err != nil {
		return chat.APIKey{}, "", err
	}
	return key, text, audit(tx, orgID, chat.AuditKeyCreated, chat.AuditObject{ID: key.ID, Name: key.Name}, "last4", key.Last4)
}

// RevokeKeyOf is RevokeKey for a caller of the organization. Another organization's key is not found.
func RevokeKeyOf(tx *store.Tx, orgID, id string) (chat.APIKey, error) {
	if _, err := tx.KeyOf(orgID, id); err != nil {
		return chat.APIKey{}, orNotFound(err, "API key")
	}
	return RevokeKey(tx, id)
}

// RevokeKey ends a key for good, from the next request on.
func RevokeKey(tx *store.Tx, id string) (chat.APIKey, error) {
	key, err := tx.RevokeKey(id)
	if err != nil {
		return key, orNotFound(err, "API key")
	}
	return key, audit(tx, key.OrgID, chat.AuditKeyRevoked, chat.AuditObject{ID: key.ID, Name: key.Name}, "last4", key.Last4)
}
