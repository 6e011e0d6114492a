package core

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"slices"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// Sealer encrypts stored secrets; context says what the secret is and whose.
type Sealer interface {
	Seal(plaintext, context string) string
}

// WebhookSecretContext binds a sealed signing secret to its row.
func WebhookSecretContext(secretID string) string { return "webhook secret " + secretID }

// NewSecret is a secret with its text, which is shown only once.
type NewSecret struct {
	chat.WebhookSecret
	Plaintext string
}

// NewWebhookSecret makes the text of a signing secret.
func NewWebhookSecret() string {
	var b [24]byte
	rand.Read(b[:])
	return "whsec_" + base64.RawURLEncoding.EncodeToString(b[:])
}

// SecretTerms limit how long secrets sign. Nil means no limit.
type SecretTerms struct {
	ExpiresIn    *time.Duration // for the new secret
	ExpireOthers *time.Duration // for the existing ones
}

// MintWebhookSecret adds a signing secret. The others keep signing until they expire.
func MintWebhookSecret(tx *store.Tx, seal Sealer, orgID, id string, terms SecretTerms) (NewSecret, error) {
	s, err := usableSubscription(tx, orgID, id)
	if err != nil {
		return NewSecret{}, err
	}
	secrets, err := tx.WebhookSecrets(orgID, id)
	if err != nil {
		return NewSecret{}, err
	}
	others, err := limitSecrets(tx, secrets[id], terms.ExpireOthers)
	if err != nil {
		return NewSecret{}, err
	}
	if err := dropExpired(tx, others); err != nil {
		return NewSecret{}, err
	}
	var expiresAt *time.Time
	if terms.ExpiresIn != nil {
		expiresAt = new(tx.Now().Add(*terms.ExpiresIn))
	}
	if err := tx.TouchWebhookSubscription(orgID, id); err != nil {
		return NewSecret{}, err
	}
	secret, err := mintSecret(tx, seal, s, expiresAt)
	if err != nil {
		return NewSecret{}, err
	}
	return secret, audit(tx, orgID, chat.AuditSecretCreated, ofWebhook(s), "secret", secret.ID)
}

func mintSecret(tx *store.Tx, seal Sealer, s chat.WebhookSubscription, expiresAt *time.Time) (NewSecret, error) {
	secret := NewSecret{Plaintext: NewWebhookSecret(), WebhookSecret: chat.WebhookSecret{
		ID: tx.NewID(chat.KindSecret), OrgID: s.OrgID, SubscriptionID: s.ID, CreatedAt: tx.Now(), ExpiresAt: expiresAt,
	}}
	secret.Sealed = seal.Seal(secret.Plaintext, WebhookSecretContext(secret.ID))
	return secret, tx.InsertWebhookSecret(secret.WebhookSecret)
}

// limitSecrets sets when the existing secrets end because a new one is added: at the latest within the given time, if
// any. The last secret, which keeps signing past its expiry, gets an overlap unless within forbids it.
func limitSecrets(tx *store.Tx, secrets []chat.WebhookSecret, within *time.Duration) ([]chat.WebhookSecret, error) {
	limited := slices.Clone(secrets)
	for i, s := range limited {
		overdue := s.ExpiresAt != nil && !tx.Now().Before(*s.ExpiresAt)
		if overdue && isLast(s, secrets, tx.Now()) {
			limited[i].ExpiresAt = new(tx.Now().Add(chat.SecretOverlap))
		}
		if within != nil {
			limited[i].ExpiresAt = earliest(limited[i].ExpiresAt, tx.Now().Add(*within))
		}
		if limited[i].ExpiresAt == s.ExpiresAt {
			continue
		}
		if err := tx.SetSecretExpiry(limited[i]); err != nil {
			return nil, err
		}
	}
	return limited, nil
}

// isLast reports whether a secret is the only one that signs.
func isLast(s chat.WebhookSecret, secrets []chat.WebhookSecret, now time.Time) bool {
	active := chat.ActiveSecrets(secrets, now)
	return len(active) == 1 && active[0].ID == s.ID
}

func earliest(a *time.Time, b time.Time) *time.Time {
	if a != nil && !b.Before(*a) {
		return a
	}
	return &b
}

// dropExpired removes the secrets that a new one makes superfluous, and checks that there is room for the new one.
func dropExpired(tx *store.Tx, secrets []chat.WebhookSecret) error {
	active := 0
	for _, s := range secrets {
		if s.ExpiresAt == nil || tx.Now().Before(*s.ExpiresAt) {
			active++
			continue
		}
		if err := tx.DeleteWebhookSecret(s); err != nil {
			return err
		}
	}
	if active >= chat.MaxActiveSecrets {
		return chat.Invalid("secrets",
			"A subscription can have %d active secrets. Revoke one, or let the others expire with expire_others_in_hours.", chat.MaxActiveSecrets)
	}
	return nil
}

// RevokeWebhookSecret makes a secret stop signing at once. One secret must remain.
func RevokeWebhookSecret(tx *store.Tx, orgID, id, secretID string) error {
	s, err := usableSubscription(tx, orgID, id)
	if err != nil {
		return err
	}
	secrets, err := tx.WebhookSecrets(orgID, id)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(secrets[id], func(s chat.WebhookSecret) bool { return s.ID == secretID })
	if i < 0 {
		return chat.NotFound("secret")
	}
	if isLast(secrets[id][i], secrets[id], tx.Now()) {
		return chat.Fail(chat.CodeCannotRevokeLastSecret, "This is the only secret that signs. Make another one first.")
	}
	return errors.Join(tx.TouchWebhookSubscription(orgID, id), tx.DeleteWebhookSecret(secrets[id][i]),
		audit(tx, orgID, chat.AuditSecretRevoked, ofWebhook(s), "secret", secretID))
}
