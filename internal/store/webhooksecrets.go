package store

import "github.com/parleyhq/parley/internal/chat"

const secretColumns = "org_id, subscription_id, id, secret, created_at, expires_at"

func scanSecret(row scanner) (s chat.WebhookSecret, err error) {
	var createdAt int64
	var expiresAt *int64
	err = row.Scan(&s.OrgID, &s.SubscriptionID, &s.ID, &s.Sealed, &createdAt, &expiresAt)
	s.CreatedAt, s.ExpiresAt = toTime(createdAt), toTimePtr(expiresAt)
	return s, err
}

// WebhookSecrets returns the secrets of each subscription, oldest first, including expired ones.
func (r Reader) WebhookSecrets(orgID string, subscriptionIDs ...string) (map[string][]chat.WebhookSecret, error) {
	found := map[string][]chat.WebhookSecret{}
	if len(subscriptionIDs) == 0 {
		return found, nil
	}
	secrets, err := many(r, scanSecret, "SELECT "+secretColumns+" FROM webhook_secrets WHERE org_id = $1 AND "+
		r.dialect.oneOf("subscription_id", "$2")+" ORDER BY subscription_id, id", orgID, r.dialect.list(subscriptionIDs))
	for _, s := range secrets {
		found[s.SubscriptionID] = append(found[s.SubscriptionID], s)
	}
	return found, err
}

// InsertWebhookSecret stores a new secret.
func (tx *Tx) InsertWebhookSecret(s chat.WebhookSecret) error {
	return tx.later("INSERT INTO webhook_secrets ("+secretColumns+") VALUES ($1, $2, $3, $4, $5, $6)",
		s.OrgID, s.SubscriptionID, s.ID, s.Sealed, s.CreatedAt.UnixMilli(), msPtr(s.ExpiresAt))
}

// SetSecretExpiry changes when a secret stops signing.
func (tx *Tx) SetSecretExpiry(s chat.WebhookSecret) error {
	return tx.later("UPDATE webhook_secrets SET expires_at = $4 WHERE org_id = $1 AND subscription_id = $2 AND id = $3",
		s.OrgID, s.SubscriptionID, s.ID, msPtr(s.ExpiresAt))
}

// DeleteWebhookSecret removes a secret.
func (tx *Tx) DeleteWebhookSecret(s chat.WebhookSecret) error {
	return tx.later("DELETE FROM webhook_secrets WHERE org_id = $1 AND subscription_id = $2 AND id = $3", s.OrgID, s.SubscriptionID, s.ID)
}
