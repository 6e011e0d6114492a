package api

import (
	"net/http"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

func registerWebhookSecrets(a *API) {
	write(a, operation{
		method: http.MethodPost, path: "/webhook_subscriptions/{id}/secrets", id: "createWebhookSecret", tag: "Webhooks",
		summary: "Make another signing secret", status: http.StatusCreated, secret: true,
		description: "The answer shows it once. From now on each delivery carries a signature for every active secret, of which there " +
			"can be five. To rotate: make a new one, let the receiver accept both, then revoke the old one or let it expire.",
		errors: []chat.Code{chat.CodeWebhookSubscriptionDisabled}, inPath: findSubscription,
	}, createWebhookSecret)

	write(a, operation{
		method: http.MethodDelete, path: "/webhook_subscriptions/{id}/secrets/{secret_id}", id: "revokeWebhookSecret", tag: "Webhooks",
		summary: "Revoke a signing secret", description: "It stops signing at once. The last active one cannot be revoked.",
		errors: []chat.Code{chat.CodeWebhookSubscriptionDisabled, chat.CodeCannotRevokeLastSecret},
	}, revokeWebhookSecret)
}

// webhookSecretRefView is a secret without its text.
type webhookSecretRefView struct {
	ID        string   `json:"id" pattern:"^sec_[0-9A-HJKMNP-TV-Z]{26}$"`
	CreatedAt instant  `json:"created_at"`
	ExpiresAt *instant `json:"expires_at" nullable:"true" doc:"When it stops signing. The last one goes on signing all the same."`
}

type webhookSecretView struct {
	ID        string   `json:"id" pattern:"^sec_[0-9A-HJKMNP-TV-Z]{26}$"`
	Object    string   `json:"object" enum:"webhook_secret"`
	Secret    string   `json:"secret" pattern:"^whsec_[A-Za-z0-9_-]{32}$" doc:"Shown once. All of it, whsec_ included, is the key of the HMAC."`
	CreatedAt instant  `json:"created_at"`
	ExpiresAt *instant `json:"expires_at" nullable:"true"`
}

type createSecretInput struct {
	ID   string `path:"id" pattern:"^wbs_[0-9A-HJKMNP-TV-Z]{26}$"`
	Body createSecretBody
}

type createSecretBody struct {
	ExpiresInHours      *int64 `json:"expires_in_hours,omitempty" minimum:"1" maximum:"8760" doc:"When the new secret stops signing. Without it, never."`
	ExpireOthersInHours *int64 `json:"expire_others_in_hours,omitempty" minimum:"0" maximum:"8760" doc:"When the older secrets stop signing, unless they do so earlier; 0 for at once. Without it, they go on; one that has signed beyond its time, because it was the last, for 24 hours."`
}

func hours(n *int64) *time.Duration {
	if n == nil {
		return nil
	}
	return new(time.Duration(*n) * time.Hour)
}

func createWebhookSecret(tx *store.Tx, c *call, in *createSecretInput) (webhookSecretView, error) {
	terms := core.SecretTerms{ExpiresIn: hours(in.Body.ExpiresInHours), ExpireOthers: hours(in.Body.ExpireOthersInHours)}
	s, err := core.MintWebhookSecret(tx, c.api.vault, c.key.Key.OrgID, in.ID, terms)
	return webhookSecretView{s.ID, "webhook_secret", s.Plaintext, instant(s.CreatedAt), instantPtr(s.ExpiresAt)}, err
}

type revokedView struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Revoked bool   `json:"revoked"`
}

type revokeSecretInput struct {
	ID       string `path:"id" pattern:"^wbs_[0-9A-HJKMNP-TV-Z]{26}$"`
	SecretID string `path:"secret_id" pattern:"^sec_[0-9A-HJKMNP-TV-Z]{26}$"`
}

func revokeWebhookSecret(tx *store.Tx, c *call, in *revokeSecretInput) (revokedView, error) {
	err := core.RevokeWebhookSecret(tx, c.key.Key.OrgID, in.ID, in.SecretID)
	return revokedView{in.SecretID, "webhook_secret", true}, err
}
