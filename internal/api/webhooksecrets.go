package api

import (
	"net/http"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerWebhookSecrets(a *API) {
	rest.Write(a.shared, rest.Operation{
		Method: http.MethodPost, Path: "/webhook_subscriptions/{id}/secrets", ID: "createWebhookSecret", Tag: "Webhooks", Role: chat.RoleAdmin,
		Summary: "Make another signing secret", Status: http.StatusCreated, Secret: true,
		Description: "The answer shows it once. From now on each delivery carries a signature for every active secret, of which there " +
			"can be five. To rotate: make a new one, let the receiver accept both, then revoke the old one or let it expire.",
		Errors: []chat.Code{chat.CodeWebhookSubscriptionDisabled}, InPath: findSubscription,
	}, a.createWebhookSecret)

	rest.Write(a.shared, rest.Operation{
		Method: http.MethodDelete, Path: "/webhook_subscriptions/{id}/secrets/{secret_id}", ID: "revokeWebhookSecret", Tag: "Webhooks", Role: chat.RoleAdmin,
		Summary: "Revoke a signing secret", Description: "It stops signing at once. The last active one cannot be revoked.",
		Errors: []chat.Code{chat.CodeWebhookSubscriptionDisabled, chat.CodeCannotRevokeLastSecret},
	}, revokeWebhookSecret)
}

// webhookSecretRefView is a secret without its text.
type webhookSecretRefView struct {
	ID        rest.SecretID `json:"id"`
	CreatedAt rest.Instant  `json:"created_at"`
	ExpiresAt *rest.Instant `json:"expires_at" nullable:"true" doc:"When it stops signing. The last one goes on signing all the same."`
}

type webhookSecretView struct {
	ID        rest.SecretID `json:"id"`
	Object    string        `json:"object" enum:"webhook_secret"`
	Secret    string        `json:"secret" pattern:"^whsec_[A-Za-z0-9_-]{32}$" doc:"Shown once. All of it, whsec_ included, is the key of the HMAC."`
	CreatedAt rest.Instant  `json:"created_at"`
	ExpiresAt *rest.Instant `json:"expires_at" nullable:"true"`
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

func (a *API) createWebhookSecret(tx *store.Tx, c *rest.Call, in *rest.SentTo[rest.SubscriptionID, createSecretBody]) (webhookSecretView, error) {
	terms := core.SecretTerms{ExpiresIn: hours(in.Body.ExpiresInHours), ExpireOthers: hours(in.Body.ExpireOthersInHours)}
	s, err := core.MintWebhookSecret(tx, a.vault, c.OrgID(), string(in.ID), terms)
	return webhookSecretView{rest.SecretID(s.ID), "webhook_secret", s.Plaintext, rest.Instant(s.CreatedAt), rest.InstantPtr(s.ExpiresAt)}, err
}

type revokedView struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Revoked bool   `json:"revoked"`
}

type revokeSecretInput struct {
	ID       rest.SubscriptionID `path:"id"`
	SecretID rest.SecretID       `path:"secret_id"`
}

func revokeWebhookSecret(tx *store.Tx, c *rest.Call, in *revokeSecretInput) (revokedView, error) {
	err := core.RevokeWebhookSecret(tx, c.OrgID(), string(in.ID), string(in.SecretID))
	return revokedView{string(in.SecretID), "webhook_secret", true}, err
}
